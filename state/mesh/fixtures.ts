import type { JsonObject } from '../kernel/json.ts'
import type { InParts } from '../kernel/parts.ts'
import { Refusal } from '../kernel/refusal.ts'
import { any, list, map, name, text } from '../kernel/shape/kinds.ts'
import { described, optional, struct } from '../kernel/shape/members.ts'
import { inputMembers } from '../kernel/shape/schema.ts'
import type { InputOf } from '../kernel/shape/values.ts'
import { type LoadPart, loadUntilRefused } from '../kernel/worlds/document-loading.ts'
import type { World } from '../kernel/worlds/world.ts'
import { resolveLinks } from './acl/links.ts'
import { objectLoaders } from './fixture-objects.ts'
import { putKey } from './kv/writes.ts'
import { refuse } from './messages.ts'
import { putNamespace, putNamespaceRow } from './namespaces/changes.ts'
import {
  checkLabel,
  checkNotReserved,
  defaultNamespace,
  namespaceNamed,
  requireNamespaceForData,
} from './namespaces/namespaces.ts'

const names = list(text)

const namespaceFixture = struct({
  name: text,
  description: optional(text),
  meta: optional(map(text)),
  policyDefaults: optional(described(names, 'Names of policies of the namespace `default`')),
  roleDefaults: optional(described(names, 'Names of roles of the namespace `default`')),
  keys: optional(described(map(text, name), "Values of the namespace's key-value store, as text")),
})

export type NamespaceFixture = InputOf<typeof namespaceFixture>

const fixturesShape = struct({
  namespaces: optional(list(namespaceFixture)),
  kv: optional(
    described(map(text, name), 'Values of the key-value store of the namespace `default`, as text'),
  ),
  services: optional(
    described(list(map(any)), 'Services of the agent, as in `PUT /v1/agent/service/register`'),
  ),
  checks: optional(
    described(list(map(any)), 'Checks of the agent, as in `PUT /v1/agent/check/register`'),
  ),
  catalog: optional(
    described(list(map(any)), 'Nodes, services and checks, as in `PUT /v1/catalog/register`'),
  ),
  config: optional(described(list(map(any)), 'Configuration entries, as in `PUT /v1/config`')),
  intentions: optional(
    described(
      list(map(any)),
      'Intentions, as in `PUT /v1/connect/intentions/exact`, with source and destination as members',
    ),
  ),
  queries: optional(described(list(map(any)), 'Prepared queries, as in `POST /v1/query`')),
  authMethods: optional(described(list(map(any)), 'Auth methods, as in `PUT /v1/acl/auth-method`')),
  bindingRules: optional(
    described(list(map(any)), 'Binding rules, as in `PUT /v1/acl/binding-rule`'),
  ),
  policies: optional(described(list(map(any)), 'ACL policies, as in `PUT /v1/acl/policy`')),
  roles: optional(described(list(map(any)), 'ACL roles, as in `PUT /v1/acl/role`')),
  tokens: optional(
    described(list(map(any)), 'ACL tokens, as in `PUT /v1/acl/token`; `SecretID` may be chosen'),
  ),
})

/**
 * The mesh section of a fixtures document: namespaces with their keys, and lists of objects in the
 * form of the API's write requests.
 */
export type MeshFixtures = InputOf<typeof fixturesShape>

/** Schemas of the sections, by section name. */
export const meshFixtures = inputMembers(fixturesShape)

/**
 * Loads the mesh section of a fixtures document, with pauses: first the namespaces and keys, then
 * the objects that the API's writes describe. Namespaces get their links to policies and roles
 * before tokens are loaded, because tokens may depend on these links. Errors that only domain code
 * can detect become refusals that name the location in the document.
 */
export function* loadMeshFixtures(
  world: World,
  { namespaces: fixtures = [], kv = {}, ...objects }: MeshFixtures,
  part: LoadPart = loadUntilRefused,
): InParts<void> {
  const createdNamespaces = fixtures.map((namespace, index) =>
    part(() => withPointer(['namespaces', index], () => loadNamespace(world, namespace))),
  )
  for (const [index, { name, keys = {} }] of fixtures.entries()) {
    if (createdNamespaces[index] !== undefined) {
      yield* loadKeys(world, name, keys, ['namespaces', index, 'keys'], part)
    }
  }
  yield* loadKeys(world, defaultNamespace, kv, ['kv'], part)
  for (const [kind, load] of objectLoaders) {
    if (kind === 'tokens') {
      for (const [index, { name, ...links }] of fixtures.entries()) {
        if (createdNamespaces[index] === undefined) continue
        part(() => withPointer(['namespaces', index], () => loadLinks(world, name, links)))
      }
    }
    for (const [index, input] of (objects[kind] ?? []).entries()) {
      part(() => withPointer([kind, index], () => load(world, input as JsonObject)))
      yield
    }
  }
}

function* loadKeys(
  world: World,
  namespace: string,
  keys: Readonly<Record<string, string>>,
  pointer: readonly (string | number)[],
  part: LoadPart,
): InParts<void> {
  for (const [key, value] of Object.entries(keys)) {
    const write = () => putKey(world, namespace, key, { value: Buffer.from(value), flags: 0 })
    part(() => withPointer([...pointer, key], write))
    yield
  }
}

/**
 * Loads one part of the document and returns the result. If `load` throws a refusal, throws the
 * refusal `fixture-refused`, whose message begins with the JSON pointer of the part.
 */
function withPointer<T>(pointer: readonly (string | number)[], load: () => T): T {
  try {
    return load()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const names = pointer.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1'))
    throw refuse('fixture-refused', { location: names.join('/'), why: error.reason })
  }
}

/**
 * Creates a namespace, or changes the description and metadata of an existing one. The links of the
 * namespace are set later, because the linked policies and roles may belong to the namespace
 * itself. Throws a refusal for a name that is not a DNS label or is reserved.
 */
function loadNamespace(world: World, { name, description, meta }: NamespaceFixture): true {
  const before = namespaceNamed(world, name)
  if (before === undefined) {
    checkLabel(name)
    checkNotReserved(name, 'mesh')
    putNamespace(world, { name, description: description ?? '', acls: null, meta: meta ?? {} })
  } else {
    const changes = { description: description ?? before.description, meta: meta ?? before.meta }
    world.write(() => putNamespaceRow(world, { ...before, ...changes }))
  }
  return true
}

function loadLinks(
  world: World,
  name: string,
  { policyDefaults, roleDefaults }: Pick<NamespaceFixture, 'policyDefaults' | 'roleDefaults'>,
): void {
  if (policyDefaults === undefined && roleDefaults === undefined) return
  const resolve = (kind: 'policy' | 'role', linkNames: readonly string[] | undefined) =>
    linkNames === undefined
      ? null
      : resolveLinks(
          world,
          kind,
          linkNames.map((one) => ({ name: one })),
        )
  const acls = {
    policy_defaults: resolve('policy', policyDefaults),
    role_defaults: resolve('role', roleDefaults),
  }
  world.write(() => putNamespaceRow(world, { ...requireNamespaceForData(world, name), acls }))
}
