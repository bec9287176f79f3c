import type { Json } from '../kernel/json.ts'
import { Refusal } from '../kernel/refusal.ts'
import { any, list, map, name, text } from '../kernel/shape/kinds.ts'
import { described, optional, struct } from '../kernel/shape/members.ts'
import { inputMembers } from '../kernel/shape/schema.ts'
import type { InputOf } from '../kernel/shape/values.ts'
import { type LoadPart, loadUntilRefused } from '../kernel/worlds/document-loading.ts'
import type { World } from '../kernel/worlds/world.ts'
import { resolveLinks } from './acl/links.ts'
import { requireSupported } from './agent/check-input.ts'
import { registeredCheck, validateCheck } from './agent/check-registration.ts'
import { checkDefinition, serviceDefinition } from './agent/definitions.ts'
import { putAgentCheck } from './agent/registry.ts'
import {
  registerService,
  requireSupportedChecks,
  serviceOf,
  validateService,
} from './agent/service-input.ts'
import { registerRequest } from './catalog/registration.ts'
import { catalogRegistrationOf, storeRegistration } from './catalog/store-registration.ts'
import { decodeOne } from './decoding.ts'
import { meshName } from './indexes.ts'
import { putKey } from './kv/writes.ts'
import { refuse } from './messages.ts'
import { putNamespace, putRow } from './namespaces/changes.ts'
import {
  checkLabel,
  checkNotReserved,
  defaultNamespace,
  namespaceNamed,
  requireNamespaceForData,
  requireWritableNamespace,
} from './namespaces/namespaces.ts'

const names = list(text)

const namespaceFixture = struct({
  name: text,
  description: optional(text),
  meta: optional(map(text)),
  policyDefaults: optional(described(names, 'Names of policies of the namespace `default`')),
  roleDefaults: optional(described(names, 'Names of roles of the namespace `default`')),
  keys: optional(described(map(text, name), 'Values of its key-value store, as text')),
})

/** A namespace in a fixtures document. */
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
})

/**
 * The short forms in the mesh section of a fixtures document: namespaces, and additional content of
 * the builtin namespace.
 */
export type NamespaceFixtures = InputOf<typeof fixturesShape>

/** Schemas of the short forms. */
export const namespaceFixtures = inputMembers(fixturesShape)

/**
 * Loads the short forms of a fixtures document: first the namespaces, then their content and links,
 * then the registrations of services and checks.
 * Errors that only domain code can detect become refusals that name the location in the document.
 */
export function loadMeshFixtures(
  world: World,
  { namespaces: fixtures = [], kv = {}, ...registrations }: NamespaceFixtures,
  part: LoadPart = loadUntilRefused,
): void {
  const created = fixtures.map((namespace, index) =>
    part(() => withPointer(['namespaces', index], () => loadNamespace(world, namespace))),
  )
  for (const [index, { name, keys = {}, ...links }] of fixtures.entries()) {
    if (created[index] === undefined) continue
    part(() => withPointer(['namespaces', index], () => loadLinks(world, name, links)))
    loadKeys(world, name, keys, ['namespaces', index, 'keys'], part)
  }
  loadKeys(world, defaultNamespace, kv, ['kv'], part)
  for (const kind of registrationKinds) {
    for (const [index, input] of (registrations[kind] ?? []).entries()) {
      part(() => withPointer([kind, index], () => loadRegistration[kind](world, input as Json)))
    }
  }
}

const registrationKinds = ['services', 'checks', 'catalog'] as const

type Load = (world: World, input: Json) => void

/** Loaders of one registration, with the rules of the API's requests. */
const loadRegistration: Readonly<Record<(typeof registrationKinds)[number], Load>> = {
  services(world, input) {
    const definition = decodeOne(input, serviceDefinition)
    validateService(definition, meshName)
    const registration = serviceOf(world, definition, writableScope(world, definition))
    requireSupportedChecks(world, definition)
    registerService(world, registration, false)
  },
  checks(world, input) {
    const definition = decodeOne(input, checkDefinition)
    validateCheck(definition)
    const check = registeredCheck(world, definition, writableScope(world, definition))
    requireSupported(world, definition)
    world.write(() => putAgentCheck(world, check))
  },
  catalog(world, input) {
    const request = decodeOne(input, registerRequest)
    const registration = catalogRegistrationOf(world, request, {
      scopeOf: (scoped) => writableScope(world, scoped),
      stored: (text) => text,
    })
    storeRegistration(world, request.Node ?? '', registration)
  },
}

/** Returns the name of the namespace of a registration. */
function writableScope(world: World, { Namespace = '' }: { readonly Namespace?: string }): string {
  return requireWritableNamespace(world, Namespace || defaultNamespace).name
}

function loadKeys(
  world: World,
  namespace: string,
  keys: Readonly<Record<string, string>>,
  pointer: readonly (string | number)[],
  part: LoadPart,
): void {
  for (const [key, value] of Object.entries(keys)) {
    const write = () => putKey(world, namespace, key, { value: Buffer.from(value), flags: 0 })
    part(() => withPointer([...pointer, key], write))
  }
}

/**
 * Runs a part of the loading. Puts the JSON pointer of the location in the document before the
 * messages of refusals.
 */
function withPointer<T>(pointer: readonly (string | number)[], load: () => T): T {
  try {
    return load()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const names = pointer.map((name) => String(name).replaceAll('~', '~0').replaceAll('/', '~1'))
    throw refuse('fixture-refused', { place: names.join('/'), why: error.reason })
  }
}

/**
 * Creates a namespace without its links, because the linked policies and roles may belong to the
 * namespace itself.
 */
function loadNamespace(world: World, { name, description, meta }: NamespaceFixture): true {
  const before = namespaceNamed(world, name)
  if (before === undefined) {
    checkLabel(name)
    checkNotReserved(name, 'mesh')
    putNamespace(world, { name, description: description ?? '', acls: null, meta: meta ?? {} })
  } else {
    const changes = { description: description ?? before.description, meta: meta ?? before.meta }
    world.write(() => putRow(world, { ...before, ...changes }))
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
  world.write(() => putRow(world, { ...requireNamespaceForData(world, name), acls }))
}
