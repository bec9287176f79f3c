import { isLoopbackHost } from '../../../../state/kernel/loopback.ts'
import type { Refusal } from '../../../../state/kernel/refusal.ts'
import { text } from '../../../../state/kernel/shape/kinds.ts'
import { type Deferred, defer, mapResult } from '../../../../state/kernel/worlds/deferred.ts'
import {
  checkedConfig,
  fetchableKeys,
  jwtConfigs,
  type KeySource,
  putJwtConfig,
  storeFetchedKeys,
} from '../../../../state/secrets/jwt/config.ts'
import { jwtLogin, keysToFetch } from '../../../../state/secrets/jwt/login.ts'
import { message, refuse } from '../../../../state/secrets/jwt/messages.ts'
import { beginLogin, finishLogin } from '../../../../state/secrets/jwt/oidc-login.ts'
import { writeJwtRole } from '../../../../state/secrets/jwt/role-changes.ts'
import { jwtRoles } from '../../../../state/secrets/jwt/roles.ts'
import type { KeySet } from '../../../../state/secrets/logins/jws.ts'
import { sendAndRead } from '../../../http/http-exchange.ts'
import { dataOutcome, emptyOutcome } from '../../envelope/outcome.ts'
import { authEnvelope, enveloped } from '../../envelope/schemas.ts'
import type { FieldValues } from '../../fields/fields.ts'
import { type Call, type Engine, operationsOf } from '../../operation.ts'
import { roleData, roleOperations } from '../../role-operations.ts'
import { loginOutcome } from '../login-outcome.ts'
import {
  authUrlFields,
  callbackFields,
  configEnvelope,
  configFields,
  loginFields,
  roleEnvelope,
  roleFields,
} from './schemas.ts'

const browserSpec = 'behaviour/secrets#oidc-login'
const callbackSecrets = { body: ['code', 'client_nonce', 'id_token'] }
const configSpec = 'behaviour/secrets#jwt-config'
const operation = operationsOf({ spec: 'behaviour/secrets#jwt' })

function finishBrowserLogin(call: Call<unknown, FieldValues<typeof callbackFields>>) {
  const { world, namespace, mount, request, fields } = call
  const context = { namespace, mount, origin: request.origin }
  return loginOutcome(call, finishLogin(world, context, fields))
}

/**
 * The login method `jwt`. Callers log in with a signed JWT (behaviour/secrets#jwt), or in a browser
 * with an OIDC provider.
 */
export const jwtEngine: Engine = {
  type: 'jwt',
  operations: [
    operation.read('jwtReadConfig', 'config', {
      summary: 'Read the configuration of trusted JWTs.',
      spec: configSpec,
      reply: { 200: configEnvelope },
      run({ world, mount }) {
        const { oidc_client_secret, fetched, local_origin, wal, ...config } = jwtConfigs.read(
          world,
          mount,
        )
        return dataOutcome(config)
      },
    }),
    operation.write('jwtWriteConfig', 'config', {
      secrets: { body: ['oidc_client_secret'] },
      summary: 'Replace the configuration of trusted JWTs.',
      spec: configSpec,
      body: configFields,
      run({ world, mount, request, fields }) {
        const config = checkedConfig(world, mount, fields, request.origin)
        const source = fetchableKeys(world, config)
        if (source === undefined) {
          putJwtConfig(world, mount, config)
          return emptyOutcome
        }
        const rule = source.kind === 'keys' ? 'jwt-key-set-failed' : 'jwt-discovery-failed'
        return afterFetch(
          source,
          (why) => refuse(rule).withDetails({ why }),
          (fetched) => {
            putJwtConfig(world, mount, { ...config, fetched: { keys: [...fetched.keys] } })
            return emptyOutcome
          },
        )
      },
    }),
    ...roleOperations({
      method: 'jwt',
      spec: 'behaviour/secrets#jwt-roles',
      fields: roleFields,
      envelope: roleEnvelope,
      rows: jwtRoles,
      view: roleData,
      write: writeJwtRole,
    }),
    operation.write('jwtLogin', 'login', {
      secrets: { body: ['jwt'] },
      summary: 'Log in the holder of a JWT.',
      spec: 'behaviour/secrets#jwt-login',
      access: 'anyone',
      body: loginFields,
      failures: [403, 500],
      reply: { 200: authEnvelope },
      run(call) {
        const { world, namespace, mount, fields, request } = call
        const { role, jwt } = fields
        const login = { namespace, mount, role, jwt, address: request.peer }
        const source = keysToFetch(world, login)
        if (source === undefined) return loginOutcome(call, jwtLogin(world, login))
        const { url } = source
        const granted = afterFetch(
          source,
          (why) => refuse('jwt-unverified', { why: message('jwt-fetch-failed', { url, why }) }),
          (fetched) => {
            storeFetchedKeys(world, mount, source, fetched)
            return jwtLogin(world, login)
          },
        )
        return mapResult(granted, (grant) => loginOutcome(call, grant))
      },
    }),
    operation.write('jwtAskOidcUrl', 'oidc/auth_url', {
      spec: browserSpec,
      summary: 'Start a browser login and return the address of the login page.',
      access: 'anyone',
      body: authUrlFields,
      reply: enveloped({ auth_url: text }),
      run({ world, namespace, mount, request, fields, process }) {
        const context = { namespace, mount, origin: request.origin }
        return dataOutcome({ auth_url: beginLogin(world, context, fields, process.metricsPrefix) })
      },
    }),
    operation.read('jwtOidcCallback', 'oidc/callback', {
      spec: browserSpec,
      summary: 'Complete a browser login with the code of the provider.',
      access: 'anyone',
      secrets: callbackSecrets,
      query: callbackFields,
      failures: [403, 500],
      reply: { 200: authEnvelope },
      run: finishBrowserLogin,
    }),
    operation.write('jwtPostOidcCallback', 'oidc/callback', {
      spec: browserSpec,
      summary: 'Complete a browser login whose browser sends the code as a form.',
      access: 'anyone',
      secrets: callbackSecrets,
      body: callbackFields,
      failures: [403, 500],
      reply: { 200: authEnvelope },
      run: finishBrowserLogin,
    }),
  ],
}

/** Maximum time to wait for a key set or a discovery document, in milliseconds of real time. */
const timeout = 10_000

/**
 * Fetches keys outside of the transaction, so that other requests are served in the meantime. Then
 * calls `next` with the keys (behaviour/secrets#jwt-keys).
 *
 * @param toRefusal returns the refusal for the error message of a failed fetch
 */
function afterFetch<T>(
  source: KeySource,
  toRefusal: (why: string) => Refusal,
  next: (keys: KeySet) => T,
): Deferred<T> {
  return defer(async () => {
    try {
      return await fetchKeys(source)
    } catch (error) {
      throw toRefusal(error instanceof Error ? error.message : String(error))
    }
  }, next)
}

async function fetchKeys(source: KeySource): Promise<KeySet> {
  const { url, kind } = source
  const set = await read(kind === 'keys' ? url : await keySetUrl(source), source)
  const keys = membersOf(set)['keys']
  if (!Array.isArray(keys)) throw new Error('the answer is not a key set')
  return { keys: keys.filter((key) => typeof key === 'object' && key !== null) }
}

/**
 * Reads the discovery document of an issuer and returns its `jwks_uri`, which is empty if missing.
 * Throws an error if the document cannot be read or names another issuer.
 */
async function keySetUrl(source: KeySource): Promise<string> {
  const wellKnown = `${source.url.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { issuer, jwks_uri } = membersOf(await read(wellKnown, source))
  if (issuer !== source.url) {
    throw new Error(
      `issuer did not match the returned issuer, expected ${JSON.stringify(source.url)} got ${JSON.stringify(issuer)}`,
    )
  }
  return typeof jwks_uri === 'string' ? jwks_uri : ''
}

async function read(url: string, { ca, hostScope }: KeySource): Promise<unknown> {
  const isAllowed = URL.canParse(url) && isLoopbackHost(new URL(url).hostname)
  if (hostScope === 'loopback' && !isAllowed) throw new Error('not allowed')
  const { status, text } = await sendAndRead({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    ca: ca === '' ? [] : [ca],
    timeout,
  })
  if (status !== 200) throw new Error(`status ${status}`)
  return JSON.parse(text)
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
