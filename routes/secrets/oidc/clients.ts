import { int, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional } from '../../../state/kernel/shape/members.ts'
import {
  assignments,
  deleteAssignment,
  writeAssignment,
} from '../../../state/secrets/oidc/assignments.ts'
import { clientsOf, oidcClients, writeClient } from '../../../state/secrets/oidc/clients.ts'
import {
  allowsProvider,
  deleteProvider,
  deleteScope,
  type OidcProvider,
  oidcProviders,
  oidcScopes,
  providerIssuer,
  writeProvider,
  writeScope,
} from '../../../state/secrets/oidc/providers.ts'
import { dataOutcome, keysOutcome } from '../envelope/outcome.ts'
import { keyInfoEnvelope, structEnvelope } from '../envelope/schemas.ts'
import { duration, textField, texts } from '../fields/field-kinds.ts'
import { type Call, operationsOf } from '../operation.ts'
import { roleOperations } from '../role-operations.ts'
import { issuerContextOf } from './tokens.ts'

const spec = 'behaviour/secrets#oidc-clients'
const operation = operationsOf({ spec })
const shared = { method: 'identity', spec } as const
const textList = list(text)

const assignmentOperations = roleOperations({
  ...shared,
  resource: 'OidcAssignment',
  noun: 'assignment',
  path: 'oidc/assignment/:name',
  rows: assignments,
  fields: { entity_ids: texts('Ids of entities'), group_ids: texts('Ids of groups') },
  envelope: structEnvelope({ entity_ids: textList, group_ids: textList }),
  view: ({ entity_ids, group_ids }) => ({ entity_ids, group_ids }),
  apply: writeAssignment,
  remove(world, mount, name) {
    const users = clientsOf(world, mount).filter(([, client]) => client.assignments.includes(name))
    const names = users.map(([client]) => client)
    deleteAssignment(world, mount, name, names)
  },
})

const scopeOperations = roleOperations({
  ...shared,
  resource: 'OidcScope',
  noun: 'scope',
  path: 'oidc/scope/:name',
  rows: oidcScopes,
  fields: {
    template: described(text, 'Template of claims, as JSON or in base64'),
    description: described(text, 'Description of the scope'),
  },
  envelope: structEnvelope({ template: text, description: text }),
  view: ({ template, description }) => ({ template, description }),
  apply: writeScope,
  remove: deleteScope,
})

const clientMembers = {
  access_token_ttl: int,
  assignments: textList,
  client_id: text,
  client_type: text,
  id_token_ttl: int,
  key: text,
  redirect_uris: textList,
}

const clientOperations = roleOperations({
  ...shared,
  resource: 'OidcClient',
  noun: 'client',
  path: 'oidc/client/:name',
  rows: oidcClients,
  fields: {
    key: described(text, 'Signing key; `default` if left out'),
    redirect_uris: texts('Accepted redirect addresses; loopback addresses match with any port'),
    assignments: texts('Assignments of the users who may use the client'),
    client_type: described(text, '`confidential` or `public`'),
    id_token_ttl: duration('Validity of identity tokens'),
    access_token_ttl: duration('Validity of access tokens'),
  },
  envelope: structEnvelope({ ...clientMembers, client_secret: optional(text) }),
  view: ({ wal, client_secret, ...client }) =>
    client.client_type === 'public' ? client : { ...client, client_secret },
  info: ({ client_secret, wal, ...client }) => client,
  apply: writeClient,
  listOverrides: { summary: 'List the clients, without their secrets.' },
  readOverrides: { secrets: { reply: ['data/client_secret'] } },
})

function providerView(call: Call<unknown>, name: string, provider: OidcProvider): object {
  const { allowed_client_ids, scopes_supported } = provider
  const issuer = providerIssuer(provider, name, issuerContextOf(call))
  return { allowed_client_ids, issuer, scopes_supported }
}

const providerOperations = [
  operation.list('identityListOidcProviders', 'oidc/provider', {
    summary: 'List the providers.',
    query: {
      allowed_client_id: textField('Id of a client; only providers that allow it are listed'),
    },
    reply: { 200: keyInfoEnvelope },
    run(call) {
      const { world, mount, fields } = call
      const { allowed_client_id: id } = fields
      const all = oidcProviders
        .names(world, mount)
        .map((name) => [name, oidcProviders.read(world, mount, name)] as const)
      const allowingProviders = all.filter(([, each]) => id === '' || allowsProvider(each, id))
      const info = allowingProviders.map(([name, each]) => [name, providerView(call, name, each)])
      return keysOutcome(
        allowingProviders.map(([name]) => name),
        { key_info: Object.fromEntries(info) },
      )
    },
  }),
  operation.read('identityReadOidcProvider', 'oidc/provider/:name', {
    summary: 'Read a provider with its issuer.',
    reply: {
      200: structEnvelope({
        allowed_client_ids: textList,
        issuer: text,
        scopes_supported: textList,
      }),
    },
    run(call) {
      const { world, mount, params } = call
      const provider = oidcProviders.read(world, mount, params.name)
      return dataOutcome(providerView(call, params.name, provider))
    },
  }),
  ...roleOperations({
    ...shared,
    resource: 'OidcProvider',
    noun: 'provider',
    path: 'oidc/provider/:name',
    rows: oidcProviders,
    fields: {
      issuer: described(
        text,
        'Scheme, host and port of the issuer; empty means the address of the server',
      ),
      allowed_client_ids: texts('Ids of the clients that may use the provider; `*` for all'),
      scopes_supported: texts('Supported scopes'),
    },
    envelope: structEnvelope({}),
    view: () => ({}),
    write: writeProvider,
    remove: deleteProvider,
  }).filter(({ verb }) => verb === 'write' || verb === 'delete'),
]

/** Operations on the OIDC providers of a namespace and on their assignments, scopes and clients. */
export const oidcClientOperations = [
  ...assignmentOperations,
  ...scopeOperations,
  ...clientOperations,
  ...providerOperations,
]
