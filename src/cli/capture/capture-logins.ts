import { loginFixture } from '../../../state/secrets/logins/fixtures.ts'
import { placeholder } from './capture-context.ts'
import { type CapturedPart, capturePart, mapItems } from './capture-part.ts'
import { entriesOf, omitEmpty, textAt } from './real-server.ts'
import { readOrNote, type SecretsReader } from './secrets-reader.ts'

const directoryPaths = { config: 'config', groups: 'groups', users: 'users' } as const
const jwtPaths = { config: 'config', roles: 'role' } as const

/**
 * Paths to capture, below the mount of a login method. The outer key is the type of the method, the
 * inner key the fixture member that the path fills.
 */
const loginPaths: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ldap: directoryPaths,
  okta: directoryPaths,
  github: { config: 'config', teams: 'map/teams', users: 'map/users' },
  cert: { config: 'config', certs: 'certs' },
  jwt: jwtPaths,
  oidc: jwtPaths,
  approle: { roles: 'role' },
  userpass: { users: 'users' },
}

/** Returns whether the settings, roles and users of a type of login methods are captured. */
export function isCapturedLogin(type: string): boolean {
  return Object.hasOwn(loginPaths, type)
}

/**
 * Functions by type of login method. Each adds to a captured method the data that the paths in
 * `loginPaths` do not return.
 */
const completeByType: Readonly<
  Record<string, (reader: SecretsReader, part: CapturedPart, mount: string) => Promise<object>>
> = { approle: captureRoleIds, userpass: captureUsers }

/** Reads the id of each role and adds it to the role. Clients log in with this id. */
async function captureRoleIds(reader: SecretsReader, part: CapturedPart, mount: string) {
  const roles: Record<string, unknown> = {}
  for (const [name, role] of entriesOf(part['roles'])) {
    const response = await readOrNote(reader, `${mount}role/${name}/role-id`)
    const role_id = textAt(response, 'data', 'role_id')
    roles[name] = { ...omitEmpty({ role_id }), ...Object(role) }
  }
  return { ...part, roles }
}

/** Adds a placeholder password to each user, because servers do not return passwords. */
async function captureUsers(_: SecretsReader, part: CapturedPart) {
  return { ...part, users: mapItems(part['users'], (user) => ({ password: placeholder, ...user })) }
}

/**
 * Captures the settings of a login method, and its entries such as roles and users. Secrets that
 * fixtures require, but servers do not return, are placeholders. Throws if fixtures have no login
 * method of the type.
 */
export async function captureLogin(
  reader: SecretsReader,
  type: string,
  mount: string,
): Promise<object> {
  const fixture = loginFixture.of.find(({ fields }) => fields.type.shape.value === type)
  if (fixture === undefined) throw new Error(`fixtures have no login method ${type}`)
  const part = await capturePart(reader, { fixture, paths: loginPaths[type] ?? {} }, mount)
  const complete = completeByType[type]
  if (complete !== undefined) return omitEmpty(await complete(reader, part, mount))
  const { config, ...entries } = part
  // A fixture with an OIDC client requires the client's secret, which servers do not return.
  const secret = textAt(config, 'oidc_client_id') === '' ? {} : { oidc_client_secret: placeholder }
  return omitEmpty({ config: { ...secret, ...config }, ...entries })
}
