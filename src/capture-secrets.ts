import { type Captured, placeholder, type Taking } from './captured.ts'
import {
  entriesOf,
  itemsOf,
  memberOf,
  NoAnswer,
  type RealServer,
  textIn,
  withoutBlanks,
} from './real-server.ts'

/** Types of mounts that every server has, in namespaces with `ns_` before them. */
const ownTypes = /^(?:ns_)?(?:cubbyhole|identity|system|token)$/

interface Mount {
  readonly type: string
  readonly options?: Readonly<Record<string, unknown>>
}

/** Takes what a secrets server has: mounts, policies, key-value secrets, and keys by name. */
export async function captureSecrets(server: RealServer, taking: Taking): Promise<Captured> {
  const mounts = {
    ...mountsIn(await server.get('sys/mounts'), ''),
    ...mountsIn(await server.get('sys/auth'), 'auth/'),
  }
  const policies: Record<string, unknown> = {}
  for (const name of await listed(server, 'sys/policies/acl', taking)) {
    // Those that every server has are the mock's own.
    if (name === 'root' || name === 'default') continue
    const told = await tried(taking, `policy ${name}`, () =>
      server.get(`sys/policies/acl/${part(name)}`),
    )
    const text = textIn(told, 'data', 'policy')
    if (text !== '') policies[name] = text
  }
  const kv: Record<string, unknown> = {}
  const transit: Record<string, unknown> = {}
  for (const [path, mount] of Object.entries(mounts)) {
    if (mount.type === 'kv' || mount.type === 'generic') {
      kv[path] = await secretsIn(server, path, mount, taking)
    }
    if (mount.type === 'transit') transit[path] = await keysIn(server, path, taking)
  }
  return {
    // The mounts that a server of the real product begins with; the others are these.
    options: { secrets: { start: 'bare' } },
    secrets: withoutBlanks({
      mounts,
      policies,
      kv: withoutBlanks(kv),
      transit: withoutBlanks(transit),
    }),
  }
}

function mountsIn(answer: unknown, prefix: string): Record<string, Mount> {
  const told = entriesOf(memberOf(answer, 'data')).filter(
    ([, mount]) => !ownTypes.test(textIn(mount, 'type')),
  )
  return Object.fromEntries(
    told.map(([path, mount]) => {
      const options = withoutBlanks(memberOf(mount, 'options'))
      const { description, config } = withoutBlanks({
        description: memberOf(mount, 'description'),
        config: withoutBlanks(memberOf(mount, 'config')),
      })
      const settings = withoutBlanks({ description, options, config })
      return [prefix + path, { type: textIn(mount, 'type'), ...settings }]
    }),
  )
}

async function listed(
  server: RealServer,
  path: string,
  taking: Taking,
): Promise<readonly string[]> {
  const told = await tried(taking, path, () => server.get(`${path}?list=true`))
  return itemsOf(memberOf(told, 'data', 'keys')).map(String)
}

/** All secrets of an engine by path; folders are walked through. */
async function secretsIn(
  server: RealServer,
  mount: string,
  { options }: Mount,
  taking: Taking,
): Promise<Record<string, unknown>> {
  const isVersioned = options?.['version'] === '2'
  const names = isVersioned ? `${mount}metadata/` : mount
  const data = isVersioned ? `${mount}data/` : mount
  const secrets: Record<string, unknown> = {}
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of await listed(server, encoded(names + folder), taking)) {
      const path = folder + name
      if (name.endsWith('/')) folders.push(path)
      else {
        const told = await tried(taking, mount + path, () => server.get(encoded(data + path)))
        const secret = isVersioned ? memberOf(told, 'data', 'data') : memberOf(told, 'data')
        if (typeof secret === 'object' && secret !== null) secrets[path] = shown(secret, taking)
      }
    }
  }
  return secrets
}

function shown(secret: object, { values }: Taking): unknown {
  if (values) return secret
  return Object.fromEntries(Object.keys(secret).map((name) => [name, placeholder]))
}

/** What can be said of a key that is made anew. */
const keyMembers = [
  'type',
  'derived',
  'convergent_encryption',
  'exportable',
  'allow_plaintext_backup',
  'deletion_allowed',
  'auto_rotate_period',
] as const

/** Keys by name with their settings; what is secret of them never leaves a server. */
async function keysIn(
  server: RealServer,
  mount: string,
  taking: Taking,
): Promise<Record<string, unknown>> {
  const keys: Record<string, unknown> = {}
  for (const name of await listed(server, encoded(`${mount}keys`), taking)) {
    const told = await tried(taking, `${mount}keys/${name}`, () =>
      server.get(encoded(`${mount}keys/${name}`)),
    )
    const members = keyMembers.map((member) => [member, memberOf(told, 'data', member)] as const)
    keys[name] = withoutBlanks(
      Object.fromEntries(members.filter(([, value]) => value !== undefined)),
    )
  }
  return keys
}

/** Asks for something that may be forbidden to the token; then a note says so. */
async function tried(
  { notes }: Taking,
  name: string,
  ask: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof NoAnswer) || error.status === undefined) throw error
    notes.push(`${name}: answered ${error.status}`)
    return undefined
  }
}

function part(name: string): string {
  return encodeURIComponent(name)
}

/** A path whose slashes stay. */
function encoded(path: string): string {
  return path.split('/').map(part).join('/')
}
