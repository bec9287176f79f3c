import { any, bool, int, list, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { clientsOf } from '../../../state/secrets/oidc/clients.ts'
import {
  createIdentityToken,
  inactiveReason,
  keySetOf,
  keysOfRoles,
} from '../../../state/secrets/oidc/id-tokens.ts'
import {
  configuredIssuer,
  configureIssuer,
  type IssuerContext,
  tokenIssuer,
} from '../../../state/secrets/oidc/issuer.ts'
import {
  deleteOidcKey,
  oidcAlgorithms,
  oidcKeys,
  rotateOidcKey,
  secondsToRotation,
  writeOidcKey,
} from '../../../state/secrets/oidc/keys.ts'
import { oidcRoles, rolesOfKey, writeOidcRole } from '../../../state/secrets/oidc/roles.ts'
import { dataOutcome, emptyWithWarnings, type SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped, structEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { duration, textField, texts } from '../fields/field-kinds.ts'
import { type Call, operationsOf } from '../operation.ts'
import { roleOperations } from '../role-operations.ts'

const spec = 'behaviour/secrets#identity-tokens'
const operation = operationsOf({ spec })

/** Returns the mount, namespace and origin of a call, from which the URL of the issuer is built. */
export function issuerContextOf(call: Call<unknown>): IssuerContext {
  const { mount, namespace, request } = call
  return { mount, namespace, origin: request.origin }
}

/**
 * Returns a 200 with a bare body and with the header `Cache-Control: <control>`. Dialects that use
 * the bodies of the reference send `referenceBody`.
 */
export function cachedOutcome(body: object, control: string, referenceBody = body): SecretsOutcome {
  const headers = { 'cache-control': control }
  return { kind: 'bare', status: 200, body, referenceBody, headers }
}

export const keySetShape = struct({ keys: list(map(any)) })

/** Value of `Cache-Control` for discovery documents. */
export const discoveryCache = 'max-age=3600'

const longestTtl = (ttls: readonly number[]) => ttls.reduce((a, b) => Math.max(a, b), 0)

function usersOfKey(world: World, mount: Mount, name: string) {
  const roles = rolesOfKey(world, mount, name)
  const clients = clientsOf(world, mount).filter(([, client]) => client.key === name)
  return {
    names: { roles: roles.map(([role]) => role), clients: clients.map(([client]) => client) },
    ttls: {
      roles: longestTtl(roles.map(([, { ttl }]) => ttl)),
      clients: longestTtl(clients.map(([, { id_token_ttl }]) => id_token_ttl)),
    },
  }
}

/** Operations on identity tokens and on their issuer, keys and roles. */
export const tokenOperations = [
  operation.read('identityReadOidcConfig', 'oidc/config', {
    summary: 'Read the issuer of identity tokens.',
    reply: enveloped({ issuer: text }),
    run: ({ world, mount }) => dataOutcome({ issuer: configuredIssuer(world, mount) }),
  }),
  operation.write('identityWriteOidcConfig', 'oidc/config', {
    summary: 'Set the issuer of identity tokens.',
    body: {
      issuer: described(
        text,
        'Scheme, host and port of the issuer; empty means the address of the server',
      ),
    },
    reply: { 200: warningEnvelope, 204: null },
    run: ({ world, mount, fields: { issuer } }) =>
      emptyWithWarnings(configureIssuer(world, mount, issuer)),
  }),
  ...roleOperations({
    method: 'identity',
    resource: 'OidcKey',
    noun: 'key of identity tokens',
    path: 'oidc/key/:name',
    spec,
    rows: oidcKeys,
    fields: {
      algorithm: described(text, `One of ${oidcAlgorithms.join(', ')}; RS256 unless given`),
      rotation_period: duration('Time between two rotations'),
      verification_ttl: duration('Time for which a public key is published after a rotation'),
      allowed_client_ids: texts('Ids of the clients that may use the key; `*` for all'),
    },
    envelope: structEnvelope({
      algorithm: text,
      allowed_client_ids: list(text),
      rotation_period: int,
      verification_ttl: int,
    }),
    view: ({ algorithm, allowed_client_ids, rotation_period, verification_ttl }) => ({
      algorithm,
      allowed_client_ids,
      rotation_period,
      verification_ttl,
    }),
    apply(world, mount, name, change) {
      world.write(() => {
        writeOidcKey(world, mount, name, change, usersOfKey(world, mount, name).ttls)
      })
    },
    remove: (world, mount, name) =>
      deleteOidcKey(world, mount, name, usersOfKey(world, mount, name).names),
  }),
  operation.write('identityRotateOidcKey', 'oidc/key/:name/rotate', {
    summary: 'Rotate a key now.',
    body: {
      verification_ttl: duration(
        'Time for which the current public key is published; the setting of the key if left out',
      ),
    },
    apply: ({ world, mount, params: { name }, fields: { verification_ttl } }) =>
      rotateOidcKey(world, mount, name, verification_ttl),
  }),
  ...roleOperations({
    method: 'identity',
    resource: 'OidcRole',
    noun: 'role of identity tokens',
    path: 'oidc/role/:name',
    spec,
    rows: oidcRoles,
    fields: {
      key: described(text, 'Name of the signing key'),
      template: described(text, 'Template of additional claims, as JSON or in base64'),
      ttl: duration('Validity of the tokens'),
      client_id: described(text, 'Audience of the tokens; generated if left out'),
    },
    envelope: structEnvelope({ client_id: text, key: text, template: text, ttl: int }),
    view: ({ client_id, key, template, ttl }) => ({ client_id, key, template, ttl }),
    apply: writeOidcRole,
  }),
  operation.read('identityReadOidcToken', 'oidc/token/:name', {
    summary: 'Create an identity token for the entity of the caller.',
    secrets: { reply: ['data/token'] },
    reply: enveloped({ client_id: text, token: text, ttl: int }),
    run: (call) =>
      dataOutcome(
        createIdentityToken(call.world, issuerContextOf(call), call.params.name, call.token),
      ),
  }),
  operation.write('identityIntrospectOidcToken', 'oidc/introspect', {
    summary: 'Return whether an identity token is valid.',
    secrets: { body: ['token'] },
    body: { token: textField('The identity token'), client_id: textField('Required audience') },
    reply: { 200: struct({ active: bool, error: optional(text) }) },
    run(call) {
      const { token, client_id } = call.fields
      const error = inactiveReason(call.world, issuerContextOf(call), token, client_id)
      const body = error === undefined ? { active: true } : { active: false, error }
      return { kind: 'bare', status: 200, body }
    },
  }),
  operation.read('identityReadOidcDiscovery', 'oidc/.well-known/openid-configuration', {
    summary: 'Describe the issuer of identity tokens.',
    access: 'anyone',
    reply: {
      200: struct({
        issuer: text,
        jwks_uri: text,
        response_types_supported: list(text),
        subject_types_supported: list(text),
        id_token_signing_alg_values_supported: list(text),
      }),
    },
    run(call) {
      const issuer = tokenIssuer(call.world, issuerContextOf(call))
      const body = {
        issuer,
        jwks_uri: `${issuer}/.well-known/keys`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: oidcAlgorithms,
      }
      return cachedOutcome(body, discoveryCache)
    },
  }),
  operation.read('identityReadOidcKeySet', 'oidc/.well-known/keys', {
    summary: 'Read the public keys of the keys that roles use.',
    access: 'anyone',
    reply: { 200: keySetShape },
    run({ world, mount }) {
      const keys = keysOfRoles(world, mount)
      const age = secondsToRotation(world, keys)
      return cachedOutcome(keySetOf(world, keys), age === undefined ? 'no-store' : `max-age=${age}`)
    },
  }),
]
