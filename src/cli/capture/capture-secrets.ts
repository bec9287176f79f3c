import { type CaptureContext, type CapturedFixtures, placeholder } from './capture-context.ts'
import {
  entriesOf,
  itemsOf,
  memberOf,
  omitEmpty,
  type RealServer,
  RealServerError,
  textAt,
} from './real-server.ts'

/** Types of mounts that every server has; in namespaces they start with `ns_`. */
const builtInTypes = /^(?:ns_)?(?:cubbyhole|identity|system|token)$/

interface Mount {
  readonly type: string
  readonly options?: Readonly<Record<string, unknown>>
}

/** Captures the mounts, policies, key-value secrets and key names of a secrets server. */
export async function captureSecrets(
  server: RealServer,
  context: CaptureContext,
): Promise<CapturedFixtures> {
  const mounts = {
    ...mountsIn(await server.get('sys/mounts'), ''),
    ...mountsIn(await server.get('sys/auth'), 'auth/'),
  }
  const policies: Record<string, unknown> = {}
  for (const name of await listKeys(server, 'sys/policies/acl', context)) {
    // The mock has these policies of its own.
    if (name === 'root' || name === 'default') continue
    const response = await readOrNote(context, `policy ${name}`, () =>
      server.get(`sys/policies/acl/${encodeSegment(name)}`),
    )
    const text = textAt(response, 'data', 'policy')
    if (text !== '') policies[name] = text
  }
  const kv: Record<string, unknown> = {}
  const transit: Record<string, unknown> = {}
  for (const [path, mount] of Object.entries(mounts)) {
    if (mount.type === 'kv' || mount.type === 'generic') {
      kv[path] = await secretsIn(server, path, mount, context)
    }
    if (mount.type === 'transit') transit[path] = await keysIn(server, path, context)
  }
  return {
    // The captured mounts replace the mounts of a fresh server.
    options: { secrets: { start: 'bare' } },
    secrets: omitEmpty({
      mounts,
      policies,
      kv: omitEmpty(kv),
      transit: omitEmpty(transit),
    }),
  }
}

function mountsIn(answer: unknown, prefix: string): Record<string, Mount> {
  const userMounts = entriesOf(memberOf(answer, 'data')).filter(
    ([, mount]) => !builtInTypes.test(textAt(mount, 'type')),
  )
  return Object.fromEntries(
    userMounts.map(([path, mount]) => {
      const options = omitEmpty(memberOf(mount, 'options'))
      const { description, config } = omitEmpty({
        description: memberOf(mount, 'description'),
        config: omitEmpty(memberOf(mount, 'config')),
      })
      const settings = omitEmpty({ description, options, config })
      return [prefix + path, { type: textAt(mount, 'type'), ...settings }]
    }),
  )
}

async function listKeys(server: RealServer, path: string, context: CaptureContext) {
  const response = await readOrNote(context, path, () => server.get(`${path}?list=true`))
  return itemsOf(memberOf(response, 'data', 'keys')).map(String)
}

/** Returns all secrets of an engine by path, including those in folders. */
async function secretsIn(
  server: RealServer,
  mount: string,
  { options }: Mount,
  context: CaptureContext,
): Promise<Record<string, unknown>> {
  const isVersioned = options?.['version'] === '2'
  const listPath = isVersioned ? `${mount}metadata/` : mount
  const dataPath = isVersioned ? `${mount}data/` : mount
  const secrets: Record<string, unknown> = {}
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of await listKeys(server, encodePath(listPath + folder), context)) {
      const path = folder + name
      if (name.endsWith('/')) folders.push(path)
      else {
        const response = await readOrNote(context, mount + path, () =>
          server.get(encodePath(dataPath + path)),
        )
        const secret = isVersioned ? memberOf(response, 'data', 'data') : memberOf(response, 'data')
        if (typeof secret === 'object' && secret !== null)
          secrets[path] = withPlaceholders(secret, context)
      }
    }
  }
  return secrets
}

function withPlaceholders(secret: object, { values }: CaptureContext): unknown {
  if (values) return secret
  return Object.fromEntries(Object.keys(secret).map((name) => [name, placeholder]))
}

/** Settings of a key that also apply to a newly created key. */
const settableKeyMembers = [
  'type',
  'derived',
  'convergent_encryption',
  'exportable',
  'allow_plaintext_backup',
  'deletion_allowed',
  'auto_rotate_period',
] as const

/**
 * Returns the keys of an engine by name, with their settings. Key material never leaves a server.
 */
async function keysIn(server: RealServer, mount: string, context: CaptureContext) {
  const keys: Record<string, unknown> = {}
  for (const name of await listKeys(server, encodePath(`${mount}keys`), context)) {
    const response = await readOrNote(context, `${mount}keys/${name}`, () =>
      server.get(encodePath(`${mount}keys/${name}`)),
    )
    const members = settableKeyMembers.map(
      (member) => [member, memberOf(response, 'data', member)] as const,
    )
    keys[name] = omitEmpty(Object.fromEntries(members.filter(([, value]) => value !== undefined)))
  }
  return keys
}

/**
 * Reads something by calling `read`. If the server rejects the request, adds a note and returns
 * undefined.
 */
async function readOrNote({ notes }: CaptureContext, name: string, read: () => Promise<unknown>) {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof RealServerError) || error.status === undefined) throw error
    notes.push(`${name}: answered ${error.status}`)
    return undefined
  }
}

function encodeSegment(name: string): string {
  return encodeURIComponent(name)
}

/** Encodes a path, except for its slashes. */
function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/')
}
