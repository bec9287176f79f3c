import { methodFixture } from '../../../state/secrets/mfa/fixtures.ts'
import { placeholder } from './capture-context.ts'
import { membersIn } from './capture-part.ts'
import { entriesOf, itemsOf, memberOf, omitEmpty, textAt } from './real-server.ts'
import { listKeys, readOrNote, type SecretsReader } from './secrets-reader.ts'

/**
 * Captures the methods for second factors by name, and the enforcements that require these methods.
 * Secrets of methods are placeholders; secrets of entities are left out. A method without a name
 * gets its id as name.
 *
 * @param loginMounts reply to reading `sys/auth`
 */
export async function captureSecondFactors(
  reader: SecretsReader,
  loginMounts: unknown,
): Promise<Record<string, unknown>> {
  const methods: Record<string, unknown> = {}
  const names = new Map<string, string>()
  for (const fixture of methodFixture.of) {
    const type = fixture.fields.type.shape.value
    for (const id of await listKeys(reader, `identity/mfa/method/${type}`)) {
      const response = await readOrNote(reader, `identity/mfa/method/${type}/${id}`)
      const data = memberOf(response, 'data')
      if (data === undefined) continue
      const name = textAt(data, 'name') || id
      names.set(id, name)
      const settings = { ...renamedMembers(data), ...secretsOf(type, data) }
      methods[name] = membersIn(fixture, settings, { includesValues: true })
    }
  }
  const enforcements = await captureEnforcements(reader, names, pathsByAccessor(loginMounts))
  return omitEmpty({ methods, enforcements })
}

/**
 * Returns the members of a method under the names that writes accept. Reads return `push_info` as
 * `pushinfo`.
 */
function renamedMembers(data: unknown): Record<string, unknown> {
  const members = Object.fromEntries(entriesOf(data))
  return { ...members, push_info: members['pushinfo'] ?? null }
}

/**
 * Returns placeholders for the secrets of a method, because servers do not return secrets; an empty
 * object for a type without secrets.
 */
function secretsOf(type: string, data: unknown): Record<string, string> {
  if (type === 'duo') return { secret_key: placeholder, integration_key: placeholder }
  if (type === 'okta') return { api_token: placeholder }
  return type === 'pingid' ? { settings_file_base64: pingIdSettingsFile(data) } : {}
}

/** Returns the settings file of a PingID method in base64, with placeholders for its secrets. */
function pingIdSettingsFile(data: unknown): string {
  const shownSettings = ['use_signature', 'idp_url', 'org_alias', 'admin_url', 'authenticator_url']
  const lines = [
    `use_base64_key=${placeholder}`,
    `token=${placeholder}`,
    ...shownSettings.map((name) => `${name}=${String(memberOf(data, name) ?? '')}`),
  ]
  return Buffer.from(lines.join('\n')).toString('base64')
}

/** Returns the paths of login methods, without `auth/`, by accessor. */
function pathsByAccessor(loginMounts: unknown): ReadonlyMap<string, string> {
  const mounts = entriesOf(memberOf(loginMounts, 'data'))
  return new Map(mounts.map(([path, mount]) => [textAt(mount, 'accessor'), path]))
}

/**
 * Captures enforcements, which refer to methods by name and to login methods by path. Entities and
 * groups are not captured; a note names each enforcement that applies to some of them. An
 * enforcement that applies only to entities and groups is left out.
 */
async function captureEnforcements(
  reader: SecretsReader,
  methods: ReadonlyMap<string, string>,
  logins: ReadonlyMap<string, string>,
): Promise<Record<string, unknown>> {
  const enforcements: Record<string, unknown> = {}
  for (const name of await listKeys(reader, 'identity/mfa/login-enforcement')) {
    const response = await readOrNote(reader, `identity/mfa/login-enforcement/${name}`)
    const data = memberOf(response, 'data')
    const itemsAt = (member: string) => itemsOf(memberOf(data, member)).map(String)
    const identityIds = [...itemsAt('identity_entity_ids'), ...itemsAt('identity_group_ids')]
    if (identityIds.length > 0) reader.notes.push(`enforcement ${name}: its entities and groups`)
    const accessors = itemsAt('auth_method_accessors')
    const subject = omitEmpty({
      auth_method_accessors: accessors.map((each) => logins.get(each) ?? each),
      auth_method_types: itemsAt('auth_method_types'),
    })
    if (Object.keys(subject).length === 0) continue
    const ids = itemsAt('mfa_method_ids')
    enforcements[name] = { mfa_method_ids: ids.map((id) => methods.get(id) ?? id), ...subject }
  }
  return enforcements
}
