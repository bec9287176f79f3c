import type { JsonObject } from '../../../state/kernel/json.ts'
import { map } from '../../../state/kernel/shape/kinds.ts'
import { optional, struct } from '../../../state/kernel/shape/members.ts'
import { targetOf } from '../../../state/secrets/database/target.ts'
import { databaseFixture } from '../../../state/secrets/fixtures/database.ts'
import { oidcFixture } from '../../../state/secrets/fixtures/oidc.ts'
import { pkiFixture } from '../../../state/secrets/fixtures/pki.ts'
import { quotasFixture } from '../../../state/secrets/fixtures/quotas.ts'
import { sshFixture } from '../../../state/secrets/fixtures/ssh.ts'
import { totpKeyFixture } from '../../../state/secrets/fixtures/totp.ts'
import { defaultExemptPaths } from '../../../state/secrets/quotas/quotas.ts'
import { placeholder } from './capture-context.ts'
import { captureLogin, isCapturedLogin } from './capture-logins.ts'
import {
  type CapturedPart,
  capturePart,
  type FixturePart,
  mapItems,
  secretMembers,
} from './capture-part.ts'
import { captureSecondFactors } from './capture-second-factors.ts'
import { entriesOf, itemsOf, memberOf, omitEmpty, textAt } from './real-server.ts'
import { listKeys, readOrNote, type SecretsReader } from './secrets-reader.ts'

const oidc: FixturePart = {
  fixture: oidcFixture,
  paths: {
    config: 'config',
    keys: 'key',
    roles: 'role',
    assignments: 'assignment',
    scopes: 'scope',
    clients: 'client',
    providers: 'provider',
  },
}

const quotas: FixturePart = {
  fixture: quotasFixture,
  paths: { config: 'config', rateLimits: 'rate-limit', leaseCounts: 'lease-count' },
}

/**
 * Completes the captured data of a PKI mount with the certificates of its issuers, without their
 * private keys. Issuers get new ids when fixtures are loaded, so a role refers to its issuer by
 * name, or as `default` if the issuer has no name.
 */
async function capturePki(reader: SecretsReader, part: CapturedPart, mount: string) {
  const issuers: unknown[] = []
  const names = new Map<string, string>()
  const config = await readOrNote(reader, `${mount}config/issuers`)
  const defaultId = textAt(config, 'data', 'default')
  const ids = await listKeys(reader, `${mount}issuers`)
  // The server's default comes first, because loading the fixtures makes the first captured issuer
  // the default.
  for (const id of [...ids].sort((a, b) => Number(b === defaultId) - Number(a === defaultId))) {
    const response = await readOrNote(reader, `${mount}issuer/${id}`)
    const pem_bundle = textAt(response, 'data', 'certificate')
    const issuer_name = textAt(response, 'data', 'issuer_name')
    names.set(id, issuer_name || 'default')
    if (pem_bundle !== '') issuers.push({ pem_bundle, ...omitEmpty({ issuer_name }) })
  }
  const roles = mapItems(part['roles'], (role) => {
    const ref = textAt(role, 'issuer_ref')
    return { ...role, ...omitEmpty({ issuer_ref: names.get(ref) ?? ref }) }
  })
  return { ...part, issuers, roles }
}

/**
 * Completes the captured data of an SSH mount with the type of the signing key. The mock generates
 * a new key of this type.
 */
async function captureSsh(reader: SecretsReader, part: CapturedPart, mount: string) {
  // 400: no signing key is configured.
  const response = await readOrNote(reader, `${mount}config/ca`, { absentStatus: 400 })
  const [key_type = ''] = textAt(response, 'data', 'public_key').split(' ')
  return { ...part, ca: omitEmpty({ key_type }) }
}

/**
 * Returns options with the databases and users of captured static roles. These users must exist
 * before the roles are loaded.
 */
export function databaseOptions(parts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const databases: Record<string, { readonly users: Record<string, string> }> = {}
  for (const [, part] of entriesOf(parts['database'])) {
    for (const [, role] of entriesOf(memberOf(part, 'staticRoles'))) {
      const connection = memberOf(part, 'connections', textAt(role, 'db_name'))
      if (connection === undefined) continue
      const { id } = targetOf({
        plugin_name: textAt(connection, 'plugin_name'),
        // The cast is safe, because the reply was JSON.
        details: connection as JsonObject,
        password: '',
      })
      const users = { ...databases[id]?.users, [textAt(role, 'username')]: placeholder }
      databases[id] = { users }
    }
  }
  return omitEmpty({ databases })
}

/**
 * Completes captured connections with a placeholder for each password that is not captured.
 * Verification is off, so that loading the fixtures does not try to connect with the placeholder.
 */
async function captureDatabase({ includesValues }: SecretsReader, part: CapturedPart) {
  const connections = mapItems(part['connections'], (connection) => {
    // The API returns `root_credentials_rotate_statements`, but accepts `root_rotation_statements`.
    const {
      connection_details: details,
      root_credentials_rotate_statements: root_rotation_statements,
      ...members
    } = connection
    const shown = entriesOf(details).filter(([name]) => includesValues || !secretMembers.has(name))
    const hidden = { password: placeholder, verify_connection: false }
    return {
      ...members,
      ...omitEmpty({ root_rotation_statements }),
      ...hidden,
      ...Object.fromEntries(shown),
    }
  })
  return { ...part, connections }
}

const totp: FixturePart = {
  fixture: struct({ keys: optional(map(totpKeyFixture)) }),
  paths: { keys: 'keys' },
}

/**
 * Placeholder for the secret of a captured TOTP key, in base32. Servers return the secret only when
 * they generate it.
 */
const totpPlaceholder = placeholder.toUpperCase().padEnd(12, 'S')

/** Captures TOTP keys by name, each with `totpPlaceholder` as its secret. */
async function captureTotpKeys(reader: SecretsReader, mount: string) {
  const { keys } = await capturePart(reader, totp, mount)
  return mapItems(keys, (key) => ({ key: totpPlaceholder, ...key }))
}

/**
 * Captured engines by type. Each has a function that completes the data captured from the engine's
 * paths.
 */
const engines: Readonly<
  Record<
    string,
    FixturePart & {
      readonly complete: (
        reader: SecretsReader,
        part: CapturedPart,
        mount: string,
      ) => Promise<object>
    }
  >
> = {
  pki: {
    fixture: pkiFixture,
    paths: { cluster: 'config/cluster', urls: 'config/urls', crl: 'config/crl', roles: 'roles' },
    complete: capturePki,
  },
  ssh: {
    fixture: sshFixture,
    paths: { roles: 'roles', zeroaddress: 'config/zeroaddress' },
    complete: captureSsh,
  },
  database: {
    fixture: databaseFixture,
    paths: { connections: 'config', roles: 'roles', staticRoles: 'static-roles' },
    complete: captureDatabase,
  },
}

/**
 * Captures the OIDC settings, keys, roles, assignments, scopes, clients and providers of the
 * identity engine, without the built-in objects of every server.
 */
async function captureOidc(reader: SecretsReader) {
  const { config, ...part } = await capturePart(reader, oidc, 'identity/oidc/')
  const without = (items: Readonly<Record<string, unknown>> = {}, builtIn: string) =>
    Object.fromEntries(entriesOf(items).filter(([name]) => name !== builtIn))
  const origin = new URL(reader.server.url).origin
  const providers = mapItems(without(part['providers'], 'default'), ({ issuer, ...provider }) => {
    // The issuer in the reply ends with the provider's path. If no issuer is configured, the reply
    // has the server's address, which is not captured.
    const issuerOrigin = URL.canParse(String(issuer)) ? new URL(String(issuer)).origin : origin
    return { ...provider, ...(issuerOrigin !== origin && { issuer: issuerOrigin }) }
  })
  return omitEmpty({
    config: omitEmpty(config),
    ...part,
    keys: without(part['keys'], 'default'),
    assignments: without(part['assignments'], 'allow_all'),
    providers,
  })
}

/** Captures quotas and, unless they are the defaults, the settings that all quotas share. */
async function captureQuotas(reader: SecretsReader) {
  const { config, ...part } = await capturePart(reader, quotas, 'sys/quotas/')
  const { rate_limit_exempt_paths, ...switches } = config ?? {}
  const isExemptByDefault = (path: unknown) => defaultExemptPaths.includes(String(path))
  const isDefault =
    Object.keys(omitEmpty(switches)).length === 0 &&
    itemsOf(rate_limit_exempt_paths).every(isExemptByDefault)
  return omitEmpty({ config: isDefault ? {} : config, ...part })
}

/**
 * Captures the roles, settings and certificates of engines, login methods, the identity provider,
 * second factors and quotas, and the registered plug-ins.
 *
 * @param mounts mounts by path; login methods are below `auth/`
 * @param loginMounts reply to reading `sys/auth`
 */
export async function captureParts(
  reader: SecretsReader,
  mounts: Readonly<Record<string, { readonly type: string }>>,
  loginMounts: unknown,
): Promise<Record<string, unknown>> {
  const parts: Record<string, Record<string, unknown>> = {}
  const add = (section: string, path: string, captured: object) => {
    const filled = omitEmpty(captured)
    if (Object.keys(filled).length > 0) parts[section] = { ...parts[section], [path]: filled }
  }
  for (const [path, { type }] of Object.entries(mounts)) {
    const engine = Object.hasOwn(engines, type) ? engines[type] : undefined
    if (path.startsWith('auth/')) {
      if (!isCapturedLogin(type)) continue
      const login = await captureLogin(reader, type, path)
      if (Object.keys(login).length > 0) {
        add('logins', path.slice('auth/'.length), { type, ...login })
      }
    } else if (type === 'totp') {
      add(type, path, await captureTotpKeys(reader, path))
    } else if (engine !== undefined) {
      const part = await capturePart(reader, engine, path)
      add(type, path, await engine.complete(reader, part, path))
    }
  }
  return {
    ...parts,
    oidc: await captureOidc(reader),
    mfa: await captureSecondFactors(reader, loginMounts),
    quotas: await captureQuotas(reader),
    plugins: await capturePlugins(reader),
  }
}

/**
 * Captures the registered plug-ins. Built-in plug-ins are left out, because every server has them.
 */
async function capturePlugins(reader: SecretsReader): Promise<readonly object[]> {
  const catalogue = await readOrNote(reader, 'sys/plugins/catalog')
  const plugins: object[] = []
  for (const entry of itemsOf(memberOf(catalogue, 'data', 'detailed'))) {
    if (memberOf(entry, 'builtin') !== false) continue
    const { type, name, version } = {
      type: textAt(entry, 'type'),
      name: textAt(entry, 'name'),
      version: textAt(entry, 'version'),
    }
    const response = await readOrNote(reader, `sys/plugins/catalog/${type}/${name}`, {
      query: version === '' ? '' : `?version=${encodeURIComponent(version)}`,
    })
    const data = memberOf(response, 'data')
    const [sha256, command] = [textAt(data, 'sha256'), textAt(data, 'command')]
    if (command === '') continue
    plugins.push({
      type,
      name,
      sha256,
      command,
      ...omitEmpty({ version, args: memberOf(data, 'args') }),
    })
  }
  return plugins
}
