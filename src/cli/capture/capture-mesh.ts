import { type CaptureContext, type CapturedFixtures, placeholder } from './capture-context.ts'
import {
  captureAclOptions,
  captureAcls,
  captureConfig,
  captureQueries,
} from './capture-mesh-objects.ts'
import { itemsOf, memberOf, omitEmpty, type RealServer, textAt } from './real-server.ts'

/**
 * Captures the namespaces, keys, services, configuration, prepared queries and ACL objects of a
 * service mesh, and the ACL options if the mesh enforces ACLs.
 */
export async function captureMesh(
  server: RealServer,
  context: CaptureContext,
): Promise<CapturedFixtures> {
  const response = await server.get('namespaces')
  // The community edition has one namespace, and rejects requests that name it.
  const namespaceQuery = response === undefined ? '' : '?ns=*'
  const capture = { ...context, server, namespaceQuery }
  const acls = await captureAcls(capture)
  const linkableNames = new Set(
    [...itemsOf(acls['policies']), ...itemsOf(acls['roles'])].map((each) => textAt(each, 'Name')),
  )
  const namespaces =
    response === undefined
      ? [await captureNamespace(server, { Name: 'default' }, '', linkableNames, context)]
      : await Promise.all(
          itemsOf(response).map((each) =>
            captureNamespace(
              server,
              each,
              `&${new URLSearchParams({ ns: textAt(each, 'Name') })}`,
              linkableNames,
              context,
            ),
          ),
        )
  const nonEmpty = namespaces.filter((each) => each['name'] !== 'default' || 'keys' in each)
  const catalog = await captureCatalog(server, namespaceQuery)
  const config = await captureConfig(capture)
  const queries = await captureQueries(capture)
  return {
    ...(await captureAclOptions(server)),
    mesh: omitEmpty({ namespaces: nonEmpty, catalog, ...config, ...queries, ...acls }),
  }
}

/**
 * Captures a namespace with its keys. If secret values are not captured, each key has a placeholder
 * as its value. Adds notes about links to objects that are not captured, and about values that are
 * not text.
 *
 * @param linkableNames names of the captured policies and roles
 */
async function captureNamespace(
  server: RealServer,
  response: unknown,
  query: string,
  linkableNames: ReadonlySet<string>,
  context: CaptureContext,
): Promise<Record<string, unknown>> {
  const name = textAt(response, 'Name')
  const linksTo = (kind: string) => {
    const links = itemsOf(memberOf(response, 'ACLs', kind)).map((link) => textAt(link, 'Name'))
    const missing = links.filter((link) => !linkableNames.has(link))
    if (missing.length > 0) context.notes.push(`${kind} of ${name}: ${missing.join(', ')}`)
    return links.filter((link) => linkableNames.has(link))
  }
  const keys: [string, string][] = []
  for (const entry of itemsOf(await server.get(`kv/?recurse=true${query}`))) {
    const key = textAt(entry, 'Key')
    const value = context.includesValues ? Buffer.from(textAt(entry, 'Value'), 'base64') : undefined
    const text = value?.toString() ?? placeholder
    if (value === undefined || Buffer.from(text).equals(value)) keys.push([key, text])
    else context.notes.push(`key ${key} of ${name}: the value is not text`)
  }
  const isDefault = name === 'default'
  return {
    name,
    ...omitEmpty({
      description: isDefault ? '' : memberOf(response, 'Description'),
      meta: memberOf(response, 'Meta'),
      policyDefaults: linksTo('PolicyDefaults'),
      roleDefaults: linksTo('RoleDefaults'),
      keys: Object.fromEntries(keys),
    }),
  }
}

/** Names of the server's own service in the two dialects. Every mesh has this service. */
const builtInServices: ReadonlySet<string> = new Set(['consul', 'mesh'])

const serviceMembers = [
  ...['Kind', 'ID', 'Service', 'Tags', 'Address', 'TaggedAddresses', 'Meta', 'Port', 'SocketPath'],
  ...['Weights', 'EnableTagOverride', 'Proxy', 'Connect', 'Locality', 'Namespace'],
]

const checkMembers = [
  ...['CheckID', 'Name', 'Status', 'Notes', 'Output', 'ServiceID', 'Type', 'Definition'],
  ...['Namespace'],
]

/** Returns the non-empty members of an object that have the given names. */
function pick(value: unknown, names: readonly string[]): Record<string, unknown> {
  return omitEmpty(Object.fromEntries(names.map((each) => [each, memberOf(value, each)])))
}

/**
 * Captures the services of each node with their checks, as registrations in the catalog. The check
 * by the gossip protocol and the server's own service are left out.
 *
 * @param query the query for the data of all namespaces
 */
async function captureCatalog(server: RealServer, query: string) {
  const nodes = itemsOf(await server.get('catalog/nodes'))
  const registrations = await Promise.all(
    nodes.map(async (node) => {
      const path = `${encodeURIComponent(textAt(node, 'Node'))}${query}`
      const listed = await server.get(`catalog/node-services/${path}`)
      const checks = itemsOf(await server.get(`health/node/${path}`))
      const address = pick(node, ['Node', 'Address'])
      const checksOf = (id: string, namespace: string) =>
        checks
          .filter((each) => textAt(each, 'ServiceID') === id)
          .filter((each) => id === '' || textAt(each, 'Namespace') === namespace)
          .filter((each) => textAt(each, 'CheckID') !== 'serfHealth')
          .map((each) => pick(each, checkMembers))
      const services = itemsOf(memberOf(listed, 'Services'))
        .filter((each) => !builtInServices.has(textAt(each, 'Service')))
        .map((each) => {
          const Checks = checksOf(textAt(each, 'ID'), textAt(each, 'Namespace'))
          return omitEmpty({ ...address, Service: pick(each, serviceMembers), Checks })
        })
      const nodeChecks = checksOf('', '')
      return nodeChecks.length === 0 ? services : [{ ...address, Checks: nodeChecks }, ...services]
    }),
  )
  return registrations.flat()
}
