package watcher
import ("testing";"context";"os";"os/exec";"strings";"fmt")
func TestZZ(t *testing.T){
 dir:=os.Getenv("AOA_BENCH_REPO"); env:=testEnv(t)
 r,_:=OpenRepo(context.Background(),dir,env)
 cmd:=exec.Command("git","-C",dir,"log","--raw","-z","--no-abbrev","-M50%","-l0","--diff-filter=R","--no-merges","--root","--format=%x01%H","HEAD")
 out,err:=cmd.Output(); if err!=nil{t.Fatal(err)}
 f:=strings.Split(string(out),"\x00"); truth:=map[string]bool{}; exact:=0; sha:=""
 for i:=0;i<len(f);i++{ s:=strings.TrimPrefix(f[i],"\n"); if strings.HasPrefix(s,"\x01"){sha=s[1:];continue}; if strings.HasPrefix(s,":"){ st:=s[strings.LastIndexByte(s,' ')+1:]; if st=="R100"{exact++}; truth[sha+f[i+1]+"\x00"+f[i+2]]=true; i+=2}}
 var got,ok,byname,bynameok int
 gitLog{r}.walk(context.Background(),headOf(t,r),nil,func(c *change) error{ bl:=map[string]string{}; for _,e:=range c.entries{bl[string(e.path)]=e.blob}
  for _,m:=range moves(c){ got++; k:=truth[c.sha+string(m.from)+"\x00"+string(m.to)]; if k{ok++}; if bl[string(m.from)]!=bl[string(m.to)]{byname++; if k{bynameok++}else if byname<40{fmt.Println(c.sha[:8],m)}}}; return nil})
 fmt.Println("git R:",len(truth),"exact",exact,"ours",got,"agree",ok,"byname",byname,"agree",bynameok)
}
