import { match, strictEqual } from 'node:assert/strict'
import { type CommandSandbox, type CommandTrial, outputOf } from './trials.ts'

/** Runs the command, which must fail, and returns its output. */
async function refused({ call }: CommandSandbox, ...argv: string[]): Promise<string> {
  const { code, text } = await call(...argv)
  strictEqual(code, 1, `${argv.join(' ')}: ${text}`)
  return text
}

/**
 * Trials of the command, by capability. Each trial continues from the state that the previous one
 * left.
 */
export const consulTrials: Readonly<Record<string, CommandTrial>> = {
  async 'members, info: the only server'(sandbox) {
    match(await outputOf(sandbox, 'members'), /mesh-1 {2}127\.0\.0\.1:8301 {2}alive {3}server/)
    match(await outputOf(sandbox, 'info'), /consul:\n\tacl = enabled\n[\s\S]*\tstate = Leader/)
  },
  async 'kv put, get, delete: values, flags, names and check-and-set'(sandbox) {
    match(await outputOf(sandbox, 'kv', 'put', 'c/a', 'one'), /Data written to: c\/a/)
    await outputOf(sandbox, 'kv', 'put', '-flags=42', 'c/d/b', 'two')
    strictEqual(await outputOf(sandbox, 'kv', 'get', 'c/a'), 'one\n')
    match(await outputOf(sandbox, 'kv', 'get', '-detailed', 'c/d/b'), /Flags {12}42\n/)
    strictEqual(await outputOf(sandbox, 'kv', 'get', '-recurse', 'c/'), 'c/a:one\nc/d/b:two\n')
    const names = await outputOf(sandbox, 'kv', 'get', '-keys', '-separator=/', 'c/')
    strictEqual(names, 'c/a\nc/d/\n')
    const stale = await refused(sandbox, 'kv', 'put', '-cas', '-modify-index=1', 'c/a', 'x')
    match(stale, /Did not write to c\/a: CAS failed/)
    await outputOf(sandbox, 'kv', 'delete', 'c/a')
    match(await refused(sandbox, 'kv', 'get', 'c/a'), /No key exists at: c\/a/)
  },
  async 'kv export, import: what was taken away is there again'(sandbox) {
    const text = await outputOf(sandbox, 'kv', 'export', 'c/')
    match(text, /"key": "c\/d\/b",\n\t\t"flags": 42,\n\t\t"value": "dHdv"/)
    sandbox.write('export.json', text)
    await outputOf(sandbox, 'kv', 'delete', '-recurse', 'c/')
    match(await outputOf(sandbox, 'kv', 'import', '@export.json'), /Imported: c\/d\/b/)
    strictEqual(await outputOf(sandbox, 'kv', 'get', 'c/d/b'), 'two\n')
  },
  async 'acl bootstrap: it was done'(sandbox) {
    const text = await refused(sandbox, 'acl', 'bootstrap')
    match(text, /403 \(Permission denied: ACL bootstrap no longer allowed \(reset index: \d+\)\)/)
  },
  async 'acl policy, role, token: made, linked, read and deleted'(sandbox) {
    const rules = 'key_prefix "c/" { policy = "read" }'
    await outputOf(sandbox, 'acl', 'policy', 'create', '-name', 'readers', '-rules', rules)
    match(await outputOf(sandbox, 'acl', 'policy', 'read', '-name', 'readers'), /key_prefix "c\/"/)
    await outputOf(sandbox, 'acl', 'role', 'create', '-name', 'staff', '-policy-name', 'readers')
    match(await outputOf(sandbox, 'acl', 'role', 'list'), /staff:\n[\s\S]* - readers/)
    const token = await outputOf(sandbox, 'acl', 'token', 'create', '-role-name', 'staff')
    match(token, /Roles:\n {3}[-0-9a-f]{36} - staff/)
    const secret = /SecretID: +(\S+)/.exec(token)?.[1] ?? ''
    strictEqual(await outputOf(sandbox, 'kv', 'get', `-token=${secret}`, 'c/d/b'), 'two\n')
    const accessor = /AccessorID: +(\S+)/.exec(token)?.[1] ?? ''
    const expanded = ['acl', 'token', 'read', '-expanded', '-accessor-id', accessor]
    match(await outputOf(sandbox, ...expanded), /Policy Name: readers/)
    await outputOf(sandbox, 'acl', 'token', 'delete', '-accessor-id', accessor)
    await outputOf(sandbox, 'acl', 'policy', 'delete', '-name', 'readers')
    match(await refused(sandbox, 'kv', 'get', `-token=${secret}`, 'c/d/b'), /ACL not found/)
  },
  async 'lock: a command is run while a key is held'(sandbox) {
    match(await outputOf(sandbox, 'lock', 'c/lock', 'echo held'), /^held$/m)
    match(await outputOf(sandbox, 'lock', '-n=2', 'c/semaphore', 'echo held'), /^held$/m)
  },
  async 'catalog nodes, services, datacenters: the server itself'(sandbox) {
    match(
      await outputOf(sandbox, 'catalog', 'nodes'),
      /mesh-1 {2}[0-9a-f]{8} {2}127\.0\.0\.1 {2}dc1/,
    )
    strictEqual(await outputOf(sandbox, 'catalog', 'services'), 'consul\n')
    strictEqual(await outputOf(sandbox, 'catalog', 'datacenters'), 'dc1\n')
  },
  async 'operator raft list-peers: it leads'(sandbox) {
    match(await outputOf(sandbox, 'operator', 'raft', 'list-peers'), /mesh-1 .* leader {2}true/)
  },
  async 'watch: keys, nodes, services and checks'(sandbox) {
    match(await outputOf(sandbox, 'watch', '-type=key', '-key=c/d/b'), /"Value": "dHdv"/)
    match(await outputOf(sandbox, 'watch', '-type=keyprefix', '-prefix=c/'), /"Key": "c\/d\/b"/)
    match(await outputOf(sandbox, 'watch', '-type=nodes'), /"Node": "mesh-1"/)
    match(await outputOf(sandbox, 'watch', '-type=services'), /"consul": \[\]/)
    match(await outputOf(sandbox, 'watch', '-type=service', '-service=consul'), /"Port": 8300/)
    match(await outputOf(sandbox, 'watch', '-type=checks'), /"CheckID": "serfHealth"/)
  },
  async 'services register, deregister, and catalog: an instance comes and goes'(sandbox) {
    const web = ['services', 'register', '-name=web', '-id=w1', '-port=80', '-tag=a']
    strictEqual(await outputOf(sandbox, ...web), 'Registered service: web\n')
    strictEqual(
      await outputOf(sandbox, 'catalog', 'services', '-tags'),
      'consul      \nweb         a\n',
    )
    match(await outputOf(sandbox, 'catalog', 'nodes', '-service=web'), /^mesh-1 /m)
    strictEqual(
      await outputOf(sandbox, 'maint', '-enable', '-service=w1', '-reason=r'),
      'Service maintenance is now enabled for "w1"\n',
    )
    match(await outputOf(sandbox, 'watch', '-type=checks', '-state=critical'), /"Notes": "r"/)
    await outputOf(sandbox, 'maint', '-disable', '-service=w1')
    const gone = await outputOf(sandbox, 'services', 'deregister', '-id=w1')
    strictEqual(gone, 'Deregistered service: w1\n')
  },
  async 'intention and config: written, listed, decided and deleted'(sandbox) {
    await outputOf(sandbox, 'intention', 'create', '-deny', 'a', 'b')
    match(await refused(sandbox, 'intention', 'check', 'a', 'b'), /^Denied$/m)
    match(await outputOf(sandbox, 'intention', 'list'), /deny +b +9/)
    strictEqual(await outputOf(sandbox, 'intention', 'delete', 'a', 'b'), 'Intention deleted.\n')
    sandbox.write('web.hcl', 'Kind = "service-defaults" Name = "web" Protocol = "http"')
    const message = await outputOf(sandbox, 'config', 'write', 'web.hcl')
    strictEqual(message, 'Config entry written: service-defaults/web\n')
    const entry = ['-kind', 'service-defaults', '-name', 'web']
    match(await outputOf(sandbox, 'config', 'read', ...entry), /"Protocol": "http"/)
    match(await outputOf(sandbox, 'config', 'delete', ...entry), /Config entry deleted/)
  },
  async 'event, snapshot, reload: fired, verified and restored'(sandbox) {
    match(await outputOf(sandbox, 'event', '-name=deploy', 'v2'), /^Event ID: [-0-9a-f]{36}$/m)
    match(await outputOf(sandbox, 'snapshot', 'save', 's.snap'), /Saved and verified snapshot/)
    match(await outputOf(sandbox, 'snapshot', 'inspect', 's.snap'), /Unknown\(228\)/)
    await outputOf(sandbox, 'kv', 'delete', '-recurse', 'c/')
    strictEqual(await outputOf(sandbox, 'snapshot', 'restore', 's.snap'), 'Restored snapshot\n')
    strictEqual(await outputOf(sandbox, 'kv', 'get', 'c/d/b'), 'two\n')
    strictEqual(await outputOf(sandbox, 'reload'), 'Configuration reload triggered\n')
  },
}
