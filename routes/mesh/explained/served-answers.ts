import { renderMessage } from '../../../state/kernel/message.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { MeshCaller } from '../../../state/mesh/acl/callers.ts'
import { catalogNodes, catalogServices } from '../../../state/mesh/catalog/tables.ts'
import { configEntries } from '../../../state/mesh/config/tables.ts'
import { meshEvents } from '../../../state/mesh/events/events.ts'
import { keyEntries } from '../../../state/mesh/kv/tables.ts'
import { defaultNamespace, namespaces } from '../../../state/mesh/namespaces/namespaces.ts'
import { preparedQueries } from '../../../state/mesh/queries/tables.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import type { RightName } from '../access.ts'
import type { MeshOperation } from '../operation.ts'

/**
 * Name and namespace of an object that lists contain only if the caller has a right to the object.
 */
interface ReadableObject {
  readonly name: string
  readonly namespace: string
}

/**
 * Returns the objects to which the rights on a resource apply; an empty list for resources that
 * this function does not know.
 */
function objectsOf(world: World, resource: string): readonly ReadableObject[] {
  const named = (names: Iterable<string>) =>
    [...names].map((name) => ({ name, namespace: defaultNamespace }))
  switch (resource) {
    case 'service':
      return [...world.table(catalogServices).rows()].filter(({ id }) => id !== '')
    case 'node':
    case 'session':
      return named([...world.table(catalogNodes).rows()].map(({ node }) => node))
    case 'key':
      return [...world.table(keyEntries).rows()].map(({ key, namespace }) => ({
        name: key,
        namespace,
      }))
    case 'query':
      return named([...world.table(preparedQueries).rows()].map(({ name }) => name))
    case 'event':
      return named([...world.table(meshEvents).rows()].map(({ name }) => name))
    case 'intention':
      return [...world.table(configEntries).rows()].filter(
        ({ kind }) => kind === 'service-intentions',
      )
    case 'acl':
      return [...world.table(namespaces).rows()].map(({ name }) => ({ name: '', namespace: name }))
    default:
      return []
  }
}

/** Maximum number of objects that a sentence names. */
const maxNamedObjects = 3

/**
 * Returns phrases about the objects on which a caller lacks a right. The phrases name at most
 * `maxNamedObjects` objects, and give the number of the remaining objects.
 */
function missingObjects(world: World, caller: MeshCaller, right: RightName): readonly string[] {
  const [resource = '', access = ''] = right.split(':')
  const phrases = objectsOf(world, resource).flatMap(({ name, namespace }) => {
    // The cast is safe: the name of a right consists of a resource and an access level.
    const need = { resource, access, name, namespace } as Parameters<MeshCaller['decide']>[0]
    const { allowed, rule, origin } = caller.decide(need)
    if (allowed) return []
    const place = namespace.toLowerCase() === defaultNamespace ? '' : ` in ${namespace}`
    const cause =
      rule === null
        ? 'no rule grants it'
        : `${rule}${origin === null ? '' : ` of the policy ${origin.policy.name}`}`
    return [`${right}${name === '' ? '' : ` on ${name}`}${place} (${cause})`]
  })
  const unique = [...new Set(phrases)]
  const rest = unique.length - maxNamedObjects
  return rest <= 0 ? unique : [...unique.slice(0, maxNamedObjects), `${rest} more`]
}

/**
 * Explains which rights are missing for the entries that a list leaves out. Returns undefined if no
 * missing right is found.
 */
function explainLeftOutEntries({
  world,
  caller,
  operation,
}: ExplainedRequest): Diagnosis | undefined {
  // The casts are safe: only this API sets the callers and operations of its requests.
  const { access } = operation as unknown as MeshOperation
  const meshCaller = caller as MeshCaller | undefined
  if (access === 'anyone' || meshCaller === undefined) return undefined
  const rights = [...access.anyOf, ...(access.also === undefined ? [] : [access.also])]
  const phrases = rights.flatMap((right) => missingObjects(world, meshCaller, right))
  if (phrases.length === 0) return undefined
  const description = meshCaller.token?.description ?? ''
  const token = description === '' ? meshCaller.accessorId : `"${description}"`
  return {
    because: `the reply omits entries, because the token ${token} lacks ${phrases.join(', ')}`,
    change: "Add these rights to one of the token's policies",
    spec: 'behaviour/mesh#acl',
  }
}

/** Explains why a transaction failed. Returns undefined if the reason was not recorded. */
function explainFailedTransaction({ reason }: ExplainedRequest): Diagnosis | undefined {
  if (reason === undefined) return undefined
  return {
    because: `the transaction changed nothing: ${renderMessage(reason)}`,
    change: 'Correct or remove the operation that failed',
    spec: 'behaviour/mesh#transactions',
  }
}

/**
 * Explains answers other than refusals: failed transactions, and lists that leave entries out
 * (behaviour/program#explanations). Returns undefined for other answers.
 */
export function explainServed(request: ExplainedRequest): Diagnosis | undefined {
  if (request.rule === 'txn-operation-failed') return explainFailedTransaction(request)
  return request.rule === 'entries-left-out' ? explainLeftOutEntries(request) : undefined
}
