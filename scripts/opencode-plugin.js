// aOa for OpenCode (managed; remove with: aoa hooks remove opencode)
// Tells aOa which tool was used on what, and puts what aOa answers behind the tool's output. Whatever goes
// wrong, the tool's own output stands.
import { spawn } from "node:child_process"

const patience = 1000 // ms; aoa hook itself gives up long before

// The small program starts faster. Where it is not installed, the whole one does the same.
const programs = [["aoa-hook", "opencode"], ["aoa", "hook", "opencode"]]

// run gives a program the payload and resolves to what it prints, or to null if there is no such program.
function run([program, ...args], payload) {
  return new Promise((resolve) => {
    let out = ""
    let timer
    const done = (text) => {
      clearTimeout(timer)
      resolve(text)
    }
    try {
      const child = spawn(program, args, { cwd: payload.cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      timer = setTimeout(() => {
        child.kill()
        done("")
      }, patience)
      child.on("error", () => done(null))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (chunk) => (out += chunk))
      child.on("close", () => done(out))
      child.stdin.end(JSON.stringify(payload))
    } catch {
      done(null)
    }
  })
}

async function tell(payload) {
  for (const program of programs) {
    const text = await run(program, payload)
    if (text === null) continue
    try {
      const said = JSON.parse(text).additionalContext || ""
      return said && !said.startsWith("aOa") ? "aOa: " + said : said
    } catch {
      return ""
    }
  }
  return ""
}

const event = (name, session, cwd, more) => ({ hook_event_name: name, session_id: session, cwd, ...more })
const said = (parts) => (parts || []).filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n")

// OpenCode 1
async function server({ directory }) {
  return {
    event: async ({ event: e }) => {
      const p = e.properties || {}
      if (e.type === "session.created" && p.info && !p.info.parentID) await tell(event("SessionStart", p.info.id, directory, { source: "startup" }))
      if (e.type === "session.compacted") await tell(event("SessionStart", p.sessionID, directory, { source: "compact" }))
      if (e.type === "session.deleted" && p.info) await tell(event("SessionEnd", p.info.id, directory, { reason: "deleted" }))
    },
    "chat.message": async (input, output) => {
      const prompt = said(output.parts)
      if (prompt) await tell(event("UserPromptSubmit", input.sessionID, directory, { prompt_id: input.messageID, prompt }))
    },
    "tool.execute.after": async (input, output) => {
      const code = output.metadata && output.metadata.exit
      const text = await tell(
        event("PostToolUse", input.sessionID, directory, {
          tool_name: input.tool, tool_use_id: input.callID, tool_input: input.args,
          tool_response: Number.isInteger(code) ? { output: output.output, exit_code: code } : output.output,
        }),
      )
      if (text && typeof output.output === "string") output.output += "\n\n" + text
    },
  }
}

// OpenCode 2
async function setup(ctx) {
  await ctx.tool.hook("execute.after", async (e) => {
    const blocks = e.result && Array.isArray(e.result.content) ? e.result.content : []
    const failed = e.status === "error"
    const text = await tell(
      event(failed ? "PostToolUseFailure" : "PostToolUse", e.sessionID, ctx.directory || process.cwd(), {
        tool_name: e.tool, tool_use_id: e.id, tool_input: e.input, tool_response: said(blocks),
        error: failed ? String((e.error && e.error.message) || e.error) : undefined,
      }),
    )
    if (text && !failed && blocks === (e.result && e.result.content)) blocks.push({ type: "text", text })
  })
}

export default { id: "aoa", server, setup }
