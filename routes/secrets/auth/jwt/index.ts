import { mapResult } from '../../../../state/kernel/worlds/deferred.ts'
import {
  checkedConfig,
  fetchableKeys,
  jwtConfigs,
  putJwtConfig,
  storeFetchedKeys,
} from '../../../../state/secrets/jwt/config.ts'
import { jwtLogin, keysToFetch } from '../../../../state/secrets/jwt/login.ts'
import { message, refuse } from '../../../../state/secrets/jwt/messages.ts'
import { writeJwtRole } from '../../../../state/secrets/jwt/role-changes.ts'
import { jwtRoles } from '../../../../state/secrets/jwt/roles.ts'
import { data, empty } from '../../envelope/outcome.ts'
import { authEnvelope } from '../../envelope/schemas.ts'
import { type Engine, operation } from '../../operation.ts'
import { roleData, roleOperations } from '../../role-operations.ts'
import { authOutcome } from '../token-replies.ts'
import { afterFetch } from './fetching.ts'
import { configEnvelope, configFields, loginFields, roleEnvelope, roleFields } from './schemas.ts'

const configSpec = 'behaviour/secrets#jwt-config'
const rolesSpec = 'behaviour/secrets#jwt-roles'
const loginSpec = 'behaviour/secrets#jwt-login'
const browserSpec = 'behaviour/secrets#jwt'

/** What the browser's part of OIDC answers: no mount has it. */
function refuseBrowserLogin(): never {
  throw refuse('jwt-oidc-off')
}

/** The method `jwt`: holders of a signed JWT log in with it (behaviour/secrets#jwt). */
export const jwtEngine: Engine = {
  type: 'jwt',
  unauthenticatedPrefix: 'login',
  operations: [
    operation({
      id: 'jwtReadConfig',
      verb: 'read',
      path: 'config',
      summary: 'Reads whose JWTs are believed.',
      spec: configSpec,
      reply: { 200: configEnvelope },
      run({ world, mount }) {
        const { oidc_client_secret, fetched, wal, ...told } = jwtConfigs.read(world, mount)
        return data(told)
      },
    }),
    operation({
      id: 'jwtWriteConfig',
      secrets: { body: ['oidc_client_secret'] },
      verb: 'write',
      path: 'config',
      summary: 'Sets whose JWTs are believed, as a whole.',
      spec: configSpec,
      body: configFields,
      reply: { 204: null },
      run({ world, mount, fields }) {
        const config = checkedConfig(world, mount, fields)
        const source = fetchableKeys(world, config)
        if (source === undefined) {
          putJwtConfig(world, mount, config)
          return empty
        }
        const rule = source.kind === 'keys' ? 'jwt-key-set-failed' : 'jwt-discovery-failed'
        return afterFetch(
          source,
          (why) => refuse(rule).withDetails({ why }),
          (fetched) => {
            putJwtConfig(world, mount, { ...config, fetched: { keys: [...fetched.keys] } })
            return empty
          },
        )
      },
    }),
    ...roleOperations({
      method: 'jwt',
      spec: rolesSpec,
      fields: roleFields,
      envelope: roleEnvelope,
      rows: jwtRoles,
      view: roleData,
      write: writeJwtRole,
    }),
    operation({
      id: 'jwtLogin',
      secrets: { body: ['jwt'] },
      verb: 'write',
      path: 'login',
      summary: 'Logs the holder of a JWT in.',
      spec: loginSpec,
      access: 'anyone',
      body: loginFields,
      failures: [403],
      reply: { 200: authEnvelope },
      run({ world, namespace, mount, fields: { role, jwt }, request }) {
        const login = { namespace, mount, role, jwt, address: request.peer }
        const source = keysToFetch(world, login)
        if (source === undefined) return authOutcome(world, jwtLogin(world, login))
        const { url } = source
        const created = afterFetch(
          source,
          (why) => refuse('jwt-unverified', { why: message('jwt-fetch-failed', { url, why }) }),
          (fetched) => {
            storeFetchedKeys(world, mount, source, fetched)
            return jwtLogin(world, login)
          },
        )
        return mapResult(created, (issued) => authOutcome(world, issued))
      },
    }),
    operation({
      id: 'jwtAskOidcUrl',
      verb: 'write',
      path: 'oidc/auth_url',
      summary: 'Refuses to begin a login by the browser, which is not offered.',
      spec: browserSpec,
      access: 'anyone',
      reply: { 204: null },
      run: refuseBrowserLogin,
    }),
    ...(['read', 'write'] as const).map((verb) =>
      operation({
        id: verb === 'read' ? 'jwtOidcCallback' : 'jwtPostOidcCallback',
        verb,
        path: 'oidc/callback',
        summary: 'Refuses the end of a login by the browser.',
        spec: browserSpec,
        access: 'anyone',
        reply: { 204: null },
        run: refuseBrowserLogin,
      }),
    ),
  ],
}
