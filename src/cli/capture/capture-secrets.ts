import { type CaptureContext, type CapturedFixtures, placeholder } from './capture-context.ts'
import { captureParts, databaseOptions } from './capture-secrets-parts.ts'
import { entriesOf, memberOf, omitEmpty, type RealServer, textAt } from './real-server.ts'
import { listKeys, readOrNote, type SecretsReader } from './secrets-reader.ts'

/** Types of mounts that every server has; in namespaces they start with `ns_`. */
const builtInTypes = /^(?:ns_)?(?:cubbyhole|identity|system|token)$/

interface Mount {
  readonly type: string
  readonly options?: Readonly<Record<string, unknown>>
}

/**
 * Captures mounts, policies, key-value secrets, the settings of transit keys, registered plug-ins,
 * and the configuration of engines, login methods, the identity provider, second factors and
 * quotas.
 */
export async function captureSecrets(
  server: RealServer,
  context: CaptureContext,
): Promise<CapturedFixtures> {
  const reader = { ...context, server }
  const engines = await server.get('sys/mounts')
  const logins = await server.get('sys/auth')
  const mounts = { ...mountsIn(engines, ''), ...mountsIn(logins, 'auth/') }
  const policies: Record<string, unknown> = {}
  for (const name of await listKeys(reader, 'sys/policies/acl')) {
    // Every world of the mock already has these two policies.
    if (name === 'root' || name === 'default') continue
    const response = await readOrNote(reader, `sys/policies/acl/${name}`, {
      name: `policy ${name}`,
    })
    const text = textAt(response, 'data', 'policy')
    if (text !== '') policies[name] = text
  }
  const kv: Record<string, unknown> = {}
  const transit: Record<string, unknown> = {}
  for (const [path, mount] of Object.entries(mounts)) {
    if (mount.type === 'kv' || mount.type === 'generic') {
      kv[path] = await secretsIn(reader, path, mount)
    }
    if (mount.type === 'transit') transit[path] = await keysIn(reader, path)
  }
  const parts = await captureParts(reader, mounts, logins)
  return {
    // The captured mounts replace the mounts of a fresh server.
    options: { secrets: { start: 'bare', ...databaseOptions(parts) } },
    secrets: omitEmpty({
      mounts,
      policies,
      kv: omitEmpty(kv),
      transit: omitEmpty(transit),
      ...parts,
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

/**
 * Returns all secrets of an engine by path, including those in folders. If secret values are not
 * captured, every member of a secret is a placeholder.
 */
async function secretsIn(
  reader: SecretsReader,
  mount: string,
  { options }: Mount,
): Promise<Record<string, unknown>> {
  const isVersioned = options?.['version'] === '2'
  const listPath = isVersioned ? `${mount}metadata/` : mount
  const dataPath = isVersioned ? `${mount}data/` : mount
  const secrets: Record<string, unknown> = {}
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const name of await listKeys(reader, listPath + folder)) {
      const path = folder + name
      if (name.endsWith('/')) folders.push(path)
      else {
        const response = await readOrNote(reader, dataPath + path, { name: mount + path })
        const secret = isVersioned ? memberOf(response, 'data', 'data') : memberOf(response, 'data')
        if (typeof secret === 'object' && secret !== null)
          secrets[path] = withPlaceholders(secret, reader)
      }
    }
  }
  return secrets
}

function withPlaceholders(secret: object, { includesValues }: CaptureContext): unknown {
  if (includesValues) return secret
  return Object.fromEntries(Object.keys(secret).map((name) => [name, placeholder]))
}

/**
 * Settings of a transit key that can be captured, because they can be set when a key is created.
 */
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
 * Returns the transit keys of an engine by name, with their settings. Key material never leaves a
 * server.
 */
async function keysIn(reader: SecretsReader, mount: string) {
  const keys: Record<string, unknown> = {}
  for (const name of await listKeys(reader, `${mount}keys`)) {
    const response = await readOrNote(reader, `${mount}keys/${name}`)
    const members = settableKeyMembers.map(
      (member) => [member, memberOf(response, 'data', member)] as const,
    )
    keys[name] = omitEmpty(Object.fromEntries(members.filter(([, value]) => value !== undefined)))
  }
  return keys
}
