import { parseDuration, toSeconds } from '../../go/duration.ts'
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
  union,
} from '../../kernel/shape/kinds.ts'
import { described, optional, struct } from '../../kernel/shape/members.ts'
import type { InputOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { writeAppRole } from '../approle/role-changes.ts'
import { createSecretId } from '../approle/secret-ids.ts'
import { checkedConfig, putJwtConfig } from '../jwt/config.ts'
import { writeJwtRole } from '../jwt/role-changes.ts'
import type { Mount } from '../mounts/mounts.ts'
import { writeOrchLoginConfig, writeOrchLoginRole } from '../orch-login/roles.ts'
import { writeUser } from '../userpass/users.ts'

const duration = optional(described(union(text, int), 'Seconds or a duration'))
const texts = optional(list(text))

/** Token settings of roles and users. */
const tokens = {
  token_bound_cidrs: texts,
  token_explicit_max_ttl: duration,
  token_max_ttl: duration,
  token_no_default_policy: optional(bool),
  token_num_uses: optional(int),
  token_period: duration,
  token_policies: texts,
  token_ttl: duration,
  token_type: optional(text),
}

const secretIdFixture = struct({
  secret_id: optional(described(text, 'Made up unless given')),
  metadata: optional(map(text)),
  cidr_list: texts,
  token_bound_cidrs: texts,
  num_uses: optional(int),
  ttl: duration,
})

const approleFixture = struct({
  type: constant('approle'),
  roles: map(
    struct({
      role_id: optional(described(text, 'Made up unless given')),
      bind_secret_id: optional(bool),
      secret_id_bound_cidrs: texts,
      secret_id_num_uses: optional(int),
      secret_id_ttl: duration,
      secret_ids: optional(described(list(secretIdFixture), 'Secret ids that there are')),
      ...tokens,
    }),
  ),
})

const userpassFixture = struct({
  type: constant('userpass'),
  users: map(struct({ password: text, ...tokens })),
})

const jwtFixture = struct({
  type: constant('jwt'),
  config: optional(
    struct({
      jwt_validation_pubkeys: texts,
      jwks_url: optional(text),
      jwks_ca_pem: optional(text),
      oidc_discovery_url: optional(text),
      oidc_discovery_ca_pem: optional(text),
      bound_issuer: optional(text),
      default_role: optional(text),
      jwt_supported_algs: texts,
    }),
  ),
  roles: optional(
    map(
      struct({
        user_claim: text,
        user_claim_json_pointer: optional(bool),
        bound_audiences: texts,
        bound_subject: optional(text),
        bound_claims: optional(map(any)),
        bound_claims_type: optional(text),
        claim_mappings: optional(map(text)),
        groups_claim: optional(text),
        expiration_leeway: optional(int),
        not_before_leeway: optional(int),
        clock_skew_leeway: optional(int),
        ...tokens,
      }),
    ),
  ),
})

const orchFixture = struct({
  type: constant('orch'),
  config: optional(
    struct({
      orch_host: text,
      orch_ca_cert: optional(text),
      token_reviewer_jwt: optional(text),
      pem_keys: texts,
      issuer: optional(text),
      disable_iss_validation: optional(bool),
      disable_local_ca_jwt: optional(bool),
    }),
  ),
  roles: optional(
    map(
      struct({
        bound_service_account_names: list(text),
        bound_service_account_namespaces: list(text),
        audience: optional(text),
        alias_name_source: optional(text),
        ...tokens,
      }),
    ),
  ),
})

/** A login method in a fixtures document. Roles and users have the form of the API's writes. */
export const loginFixture = tagged('type', approleFixture, userpassFixture, jwtFixture, orchFixture)
export type LoginFixture = InputOf<typeof loginFixture>

/** Runs `load` and adds the place in the document to the refusals that `load` throws. */
type At = (place: readonly string[], load: () => void) => void

/**
 * Creates the roles and users of a mounted login method from a fixtures document, with the same
 * checks as the API.
 */
export function fillLogin(world: World, mount: Mount, fixture: LoginFixture, at: At): void {
  switch (fixture.type) {
    case 'approle':
      for (const [name, { secret_ids = [], ...role }] of Object.entries(fixture.roles)) {
        at(['roles', name], () => writeAppRole(world, mount, name, inSeconds(role)))
        for (const [index, { metadata, ...request }] of secret_ids.entries()) {
          const metadataText = metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }
          at(['roles', name, 'secret_ids', String(index)], () => {
            createSecretId(world, mount, name, { ...inSeconds(request), ...metadataText })
          })
        }
      }
      return
    case 'userpass':
      for (const [name, user] of Object.entries(fixture.users)) {
        at(['users', name], () => writeUser(world, mount, name, inSeconds(user)))
      }
      return
    case 'jwt': {
      const { config, roles = {} } = fixture
      if (config !== undefined) {
        at(['config'], () => putJwtConfig(world, mount, checkedConfig(world, mount, config)))
      }
      for (const [name, { bound_claims, ...role }] of Object.entries(roles)) {
        // The check of the document allows only JSON here.
        const bound = bound_claims === undefined ? {} : { bound_claims: bound_claims as JsonObject }
        at(['roles', name], () => {
          writeJwtRole(world, mount, name, { role_type: 'jwt', ...inSeconds(role), ...bound })
        })
      }
      return
    }
    case 'orch': {
      const { config, roles = {} } = fixture
      if (config !== undefined) {
        at(['config'], () => writeOrchLoginConfig(world, mount, { ...orchDefaults, ...config }))
      }
      for (const [name, role] of Object.entries(roles)) {
        at(['roles', name], () => {
          writeOrchLoginRole(world, mount, name, inSeconds(role))
        })
      }
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

type Seconds<Members> = {
  [Name in keyof Members]: string | number extends Exclude<Members[Name], undefined>
    ? number | Extract<Members[Name], undefined>
    : Members[Name]
}

const durationFields: ReadonlySet<string> = new Set([
  'token_explicit_max_ttl',
  'token_max_ttl',
  'token_period',
  'token_ttl',
  'secret_id_ttl',
  'ttl',
])

/** Converts the durations among the members to seconds. */
function inSeconds<Members extends object>(members: Members): Seconds<Members> {
  const entries = Object.entries(members).map(([name, value]) => [
    name,
    durationFields.has(name) ? toSeconds(parseDuration(value)) : value,
  ])
  return Object.fromEntries(entries) as Seconds<Members>
}
