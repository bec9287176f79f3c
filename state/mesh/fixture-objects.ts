import type { JsonObject } from '../kernel/json.ts'
import type { World } from '../kernel/worlds/world.ts'
import { putAuthMethod } from './acl/auth-methods/auth-methods.ts'
import { createBindingRule } from './acl/auth-methods/binding-rules.ts'
import { methodBody, methodInputOf, ruleBody, ruleInputOf } from './acl/auth-methods/bodies.ts'
import {
  policyBody,
  policyInputOf,
  roleBody,
  roleInputOf,
  tokenBody,
  tokenInputOf,
} from './acl/bodies.ts'
import { refuse as refuseAcl } from './acl/messages.ts'
import { createPolicy } from './acl/policies.ts'
import { createRole } from './acl/roles.ts'
import { createToken } from './acl/tokens.ts'
import { requireSupported } from './agent/check-input.ts'
import { checkOfDefinition, validateCheck } from './agent/check-registration.ts'
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
import { decodeEntry } from './config/decode-entry.ts'
import { normalizeEntry, putEntry, requireNamespaceOfKind } from './config/entries.ts'
import { decodeBodyValue } from './decoding.ts'
import { meshName } from './indexes.ts'
import { intentionBody, intentionInputOf } from './intentions/intention-body.ts'
import { putIntention, requireEnds } from './intentions/intention-writes.ts'
import { refuse } from './messages.ts'
import { defaultNamespace, requireWritableNamespace } from './namespaces/namespaces.ts'
import { createQuery, validateQuery } from './queries/queries.ts'
import { queryBody, queryInputOf } from './queries/query-body.ts'

/** Sections of a fixtures document whose entries have the form of the API's write requests. */
type ObjectSection =
  | 'services'
  | 'checks'
  | 'catalog'
  | 'config'
  | 'intentions'
  | 'queries'
  | 'authMethods'
  | 'bindingRules'
  | 'policies'
  | 'roles'
  | 'tokens'

/**
 * Function that writes one entry of a section, under the rules that apply to the API's write
 * request.
 */
type LoadObject = (world: World, input: JsonObject) => void

/**
 * Returns the namespace of an object in its original spelling. Throws a refusal if the namespace
 * does not exist or is marked for deletion.
 */
function writableNamespace(
  world: World,
  { Namespace = '' }: { readonly Namespace?: string },
): string {
  return requireWritableNamespace(world, Namespace || defaultNamespace).name
}

/** Functions that load one entry, by section. */
export const loadersBySection: Readonly<Record<ObjectSection, LoadObject>> = {
  services(world, input) {
    const definition = decodeBodyValue(input, serviceDefinition)
    validateService(definition, meshName)
    const registration = serviceOf(world, definition, writableNamespace(world, definition))
    requireSupportedChecks(world, definition)
    registerService(world, registration, false)
  },
  checks(world, input) {
    const definition = decodeBodyValue(input, checkDefinition)
    validateCheck(definition)
    const check = checkOfDefinition(world, definition, writableNamespace(world, definition))
    requireSupported(world, definition)
    world.write(() => putAgentCheck(world, check))
  },
  catalog(world, input) {
    const request = decodeBodyValue(input, registerRequest)
    const registration = catalogRegistrationOf(world, request, {
      namespaceOf: (scopedInput) => writableNamespace(world, scopedInput),
      toStoredName: (text) => text,
    })
    storeRegistration(world, request.Node ?? '', registration)
  },
  config(world, input) {
    const { kind, members, namespace = defaultNamespace } = decodeEntry(world, input)
    requireNamespaceOfKind(kind, namespace)
    putEntry(world, kind, namespace, normalizeEntry(world, kind, namespace, members))
  },
  intentions(world, input) {
    const body = decodeBodyValue(input, intentionBody)
    const source = { namespace: body.SourceNS || defaultNamespace, name: body.SourceName ?? '' }
    const namespace = body.DestinationNS || defaultNamespace
    const destination = { namespace, name: body.DestinationName ?? '' }
    requireEnds(source, destination)
    putIntention(world, source, destination, intentionInputOf(body))
  },
  queries(world, input) {
    const body = decodeBodyValue(input, queryBody)
    if (body.ID) throw refuse('query-id-sent')
    const query = queryInputOf(body)
    validateQuery(world, query)
    createQuery(world, query)
  },
  authMethods(world, input) {
    const body = decodeBodyValue(input, methodBody)
    putAuthMethod(world, writableNamespace(world, body), methodInputOf(body))
  },
  bindingRules(world, input) {
    const body = decodeBodyValue(input, ruleBody)
    if (body.ID) throw refuseAcl('rule-ids-differ')
    createBindingRule(world, writableNamespace(world, body), ruleInputOf(body))
  },
  policies(world, input) {
    const body = decodeBodyValue(input, policyBody)
    if (body.ID) throw refuseAcl('id-of-new', { noun: 'policy' })
    createPolicy(world, writableNamespace(world, body), policyInputOf(body))
  },
  roles(world, input) {
    const body = decodeBodyValue(input, roleBody)
    if (body.ID) throw refuseAcl('ids-differ', { Noun: 'Role' })
    createRole(world, writableNamespace(world, body), roleInputOf(body))
  },
  tokens(world, input) {
    const body = decodeBodyValue(input, tokenBody)
    createToken(world, writableNamespace(world, body), tokenInputOf(body))
  },
}

/** Sections with their loaders, in the order in which a document is loaded. */
export const objectLoaders = Object.entries(loadersBySection) as readonly (readonly [
  ObjectSection,
  LoadObject,
])[]
