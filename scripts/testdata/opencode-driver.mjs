// Loads the plugin as each OpenCode does, and makes the calls that each makes.
import plugin from "./aoa.mjs"
const dir = process.env.DIR
const v1 = await plugin.server({ directory: dir })
await v1.event({ event: { type: "session.created", properties: { info: { id: "ses_1" } } } })
await v1.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } })
await v1["chat.message"]({ sessionID: "ses_1", messageID: "msg_1" }, { parts: [{ type: "text", text: "hello" }, { type: "file" }, { type: "text", text: "x", synthetic: true }] })
const out = { title: "t", output: "result", metadata: { exit: 2 } }
await v1["tool.execute.after"]({ tool: "bash", sessionID: "ses_1", callID: "c1", args: { command: "make" } }, out)
console.log("V1", JSON.stringify(out))
const odd = { content: [] }
await v1["tool.execute.after"]({ tool: "mcp", sessionID: "ses_1", callID: "c2" }, odd)
console.log("V1 odd", JSON.stringify(odd))
let after
await plugin.setup({ directory: dir, tool: { hook: async (name, fn) => { after = fn } } })
const ev = { tool: "read", sessionID: "ses_2", id: "c3", input: { path: "a.go" }, status: "completed", result: { content: [{ type: "text", text: "result" }] } }
await after(ev)
console.log("V2", JSON.stringify(ev.result))
const bad = { tool: "read", sessionID: "ses_2", id: "c4", input: {}, status: "error", error: { message: "no such file" } }
await after(bad)
console.log("V2 error", JSON.stringify(bad.result))
