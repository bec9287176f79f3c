import type { JsonObject } from '../../kernel/json.ts'
import {
  any,
  bool,
  constant,
  int,
  list,
  map,
  tagged,
  text,
  uint,
} from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { InputOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { writeAppRole } from '../approle/role-changes.ts'
import { createSecretId } from '../approle/secret-ids.ts'
import {
  certFixture,
  fillCert,
  fillGithub,
  fillLdap,
  fillOkta,
  githubFixture,
  ldapFixture,
  oktaFixture,
} from '../fixtures/directory-logins.ts'
import {
  decodeMembers,
  fixtureMembers,
  fixtureTexts,
  type LoadAtPointer,
  loadEach,
} from '../fixtures/members.ts'
import { checkedConfig, putJwtConfig } from '../jwt/config.ts'
import { writeJwtRole } from '../jwt/role-changes.ts'
import type { Mount } from '../mounts/mounts.ts'
import { writeOrchLoginConfig, writeOrchLoginRole } from '../orch-login/roles.ts'
import { writeUser } from '../userpass/users.ts'
import { tokenFieldsFixture } from './token-fields.ts'

const secretIdFixture = struct({
  secret_id: optional(described(text, 'Made up unless given')),
  metadata: optional(map(text)),
  ...fixtureMembers(
    { cidr_list: list(text), token_bound_cidrs: list(text), num_uses: int, ttl: uint },
    { durations: ['ttl'] },
  ),
})

const approleRoleFixture = struct({
  role_id: optional(described(text, 'Made up unless given')),
  ...fixtureMembers(
    {
      bind_secret_id: bool,
      secret_id_bound_cidrs: list(text),
      secret_id_num_uses: int,
      secret_id_ttl: uint,
    },
    { durations: ['secret_id_ttl'] },
  ),
  secret_ids: optional(described(list(secretIdFixture), 'Existing secret ids')),
  ...tokenFieldsFixture,
})

const approleFixture = struct({ type: constant('approle'), roles: map(approleRoleFixture) })

const userFixture = struct({ password: text, ...tokenFieldsFixture })

const userpassFixture = struct({ type: constant('userpass'), users: map(userFixture) })

const jwtConfigFixture = struct(
  fixtureMembers({
    jwt_validation_pubkeys: list(text),
    jwks_url: text,
    jwks_ca_pem: text,
    oidc_discovery_url: text,
    oidc_discovery_ca_pem: text,
    oidc_client_id: text,
    oidc_client_secret: text,
    oidc_response_mode: text,
    oidc_response_types: list(text),
    namespace_in_state: bool,
    provider_config: map(any),
    bound_issuer: text,
    default_role: text,
    jwt_supported_algs: list(text),
  }),
)

const jwtRoleFixture = struct({
  user_claim: text,
  bound_claims: optional(map(any)),
  ...fixtureMembers(
    {
      role_type: text,
      user_claim_json_pointer: bool,
      bound_audiences: list(text),
      bound_subject: text,
      bound_claims_type: text,
      claim_mappings: map(text),
      groups_claim: text,
      expiration_leeway: int,
      not_before_leeway: int,
      clock_skew_leeway: int,
      oidc_scopes: list(text),
      allowed_redirect_uris: list(text),
      verbose_oidc_logging: bool,
      max_age: uint,
    },
    {
      durations: ['expiration_leeway', 'not_before_leeway', 'clock_skew_leeway', 'max_age'],
    },
  ),
  ...tokenFieldsFixture,
})

const jwtMembers = {
  config: optional(jwtConfigFixture),
  roles: optional(map(jwtRoleFixture)),
}

const jwtFixture = struct({ type: constant('jwt'), ...jwtMembers })

const oidcLoginFixture = struct({ type: constant('oidc'), ...jwtMembers })

const orchConfigFixture = struct({
  orch_host: text,
  ...fixtureMembers({
    orch_ca_cert: text,
    token_reviewer_jwt: text,
    pem_keys: list(text),
    issuer: text,
    disable_iss_validation: bool,
    disable_local_ca_jwt: bool,
  }),
})

const orchRoleFixture = struct({
  bound_service_account_names: fixtureTexts,
  bound_service_account_namespaces: fixtureTexts,
  ...fixtureMembers({ audience: text, alias_name_source: text }),
  ...tokenFieldsFixture,
})

const orchFixture = struct({
  type: constant('orch'),
  config: optional(orchConfigFixture),
  roles: optional(map(orchRoleFixture)),
})

/** A login method in a fixtures document. Roles and users have the form of requests to the API. */
export const loginFixture = tagged(
  'type',
  approleFixture,
  userpassFixture,
  jwtFixture,
  orchFixture,
  ldapFixture,
  githubFixture,
  oktaFixture,
  certFixture,
  oidcLoginFixture,
)
export type LoginFixture = InputOf<typeof loginFixture>

/**
 * Writes the configuration, the roles, the users and the other entries of a mounted login method
 * from a fixtures document, with the same checks as the API.
 */
export function fillLogin(
  world: World,
  mount: Mount,
  fixture: LoginFixture,
  at: LoadAtPointer,
): void {
  switch (fixture.type) {
    case 'approle':
      for (const [name, { secret_ids = [], ...role }] of Object.entries(fixture.roles)) {
        at(['roles', name], () =>
          writeAppRole(world, mount, name, decodeMembers(approleRoleFixture, role)),
        )
        for (const [index, { metadata, ...request }] of secret_ids.entries()) {
          const metadataText = metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }
          at(['roles', name, 'secret_ids', String(index)], () => {
            createSecretId(world, mount, name, {
              ...decodeMembers(secretIdFixture, request),
              ...metadataText,
            })
          })
        }
      }
      return
    case 'userpass':
      loadEach(at, 'users', fixture.users, (name, user) =>
        writeUser(world, mount, name, decodeMembers(userFixture, user)),
      )
      return
    case 'jwt':
    case 'oidc':
      fillJwt(world, mount, fixture, at)
      return
    case 'ldap':
      fillLdap(world, mount, fixture, at)
      return
    case 'github':
      fillGithub(world, mount, fixture, at)
      return
    case 'okta':
      fillOkta(world, mount, fixture, at)
      return
    case 'cert':
      fillCert(world, mount, fixture, at)
      return
    case 'orch': {
      const { config, roles } = fixture
      if (config !== undefined) {
        at(['config'], () =>
          writeOrchLoginConfig(world, mount, {
            ...orchDefaults,
            ...decodeMembers(orchConfigFixture, config),
          }),
        )
      }
      loadEach(at, 'roles', roles, (name, role) => {
        writeOrchLoginRole(world, mount, name, decodeMembers(orchRoleFixture, role))
      })
    }
  }
}

const orchDefaults = {
  orch_ca_cert: '',
  token_reviewer_jwt: '',
  pem_keys: [],
  issuer: '',
  disable_iss_validation: true,
  disable_local_ca_jwt: false,
}

function fillJwt(
  world: World,
  mount: Mount,
  { type, config, roles }: InputOf<typeof jwtFixture> | InputOf<typeof oidcLoginFixture>,
  at: LoadAtPointer,
): void {
  if (config !== undefined) {
    at(['config'], () => {
      const write = decodeMembers(jwtConfigFixture, config)
      putJwtConfig(world, mount, checkedConfig(world, mount, write))
    })
  }
  loadEach(at, 'roles', roles, (name, { bound_claims, ...role }) => {
    // The type assertion is safe, because the schema of fixtures documents allows only JSON here.
    const bound = bound_claims === undefined ? {} : { bound_claims: bound_claims as JsonObject }
    const change = decodeMembers(jwtRoleFixture, role)
    writeJwtRole(world, mount, name, { role_type: type, ...change, ...bound })
  })
}
