import { groupBy } from './group-by.ts'
import type { ServiceState, StateRow } from './items.ts'

/** Health check of a node or a service. */
export interface MeshCheck {
  /** Id of the check in the list of state machines of the kind `mesh.check`. */
  readonly id: string
  readonly name: string
  readonly status: string
}

/** Instance of a service on a node, or a node of the catalog. */
interface MeshInstance {
  readonly key: string
  readonly id: string
  readonly node: string
  /** Host and port; empty if the instance has neither. */
  readonly address: string
  /**
   * Worst status among the checks of the instance and of its node; `passing` if there are no
   * checks.
   */
  readonly status: string
  readonly checks: readonly MeshCheck[]
}

/** Instances of the services with one name, or the nodes of the catalog. */
export interface MeshGroup {
  readonly name: string
  readonly instances: readonly MeshInstance[]
}

interface MeshCatalog {
  readonly services: readonly MeshGroup[]
  /** Nodes with the checks that belong to no service. */
  readonly nodes: MeshGroup
}

const statusesByWeight = ['passing', 'warning', 'critical']

/** Returns the services of the mesh API, sorted by name, and its nodes, all with their checks. */
export function meshCatalog({ tables }: ServiceState): MeshCatalog {
  const checks = groupBy(Object.values(tables['checks'] ?? {}), ownerOf)
  const checksOf = (...owner: Parameters<typeof ownerKey>) =>
    (checks.get(ownerKey(...owner)) ?? []).map(checkOf)
  const nodes = Object.entries(tables['nodes'] ?? {}).map(([key, row]): MeshInstance => {
    const node = textField(row, 'node')
    const nodeChecks = checksOf(node, '', '')
    return {
      key,
      id: node,
      node,
      address: textField(row, 'address'),
      status: worstStatus(nodeChecks),
      checks: nodeChecks,
    }
  })
  const services = groupBy(Object.entries(tables['services'] ?? {}), ([, row]) => nameOf(row))
  const nodeAddresses = new Map(nodes.map(({ id, address }) => [id.toLowerCase(), address]))
  const instanceOf = ([key, row]: readonly [string, StateRow]): MeshInstance => {
    const [node, id] = [textField(row, 'node'), textField(row, 'id')]
    // A row without an id is the service of the server itself. Only the checks of its node apply to
    // it.
    const serviceChecks = id === '' ? [] : checksOf(node, textField(row, 'namespace'), id)
    const host = textField(row, 'address') || nodeAddresses.get(node.toLowerCase()) || ''
    const port = Number(row['port'] ?? 0)
    return {
      key,
      id: id || nameOf(row),
      node,
      address: port === 0 ? host : `${host}:${port}`,
      status: worstStatus([...serviceChecks, ...checksOf(node, '', '')]),
      checks: serviceChecks,
    }
  }
  return {
    services: [...services]
      .map(([name, rows]) => ({ name, instances: rows.map(instanceOf) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    nodes: { name: 'Nodes', instances: nodes },
  }
}

const ownerOf = (check: StateRow) =>
  ownerKey(textField(check, 'node'), textField(check, 'namespace'), textField(check, 'service_id'))

/** Returns the key of a service's checks, or the key of a node's checks if `service` is empty. */
function ownerKey(node: string, namespace: string, service: string): string {
  return JSON.stringify([node.toLowerCase(), service && namespace.toLowerCase(), service])
}

function checkOf(row: StateRow): MeshCheck {
  const id = `${textField(row, 'node')}:${textField(row, 'check_id')}`
  const namespace = textField(row, 'namespace')
  return {
    id: namespace.toLowerCase() === 'default' ? id : `${namespace}/${id}`,
    name: textField(row, 'name') || textField(row, 'check_id'),
    status: textField(row, 'status'),
  }
}

/**
 * Returns the name of a service, preceded by its namespace unless the namespace is `default`. The
 * service of the server itself is stored without a name.
 */
function nameOf(row: StateRow): string {
  const namespace = textField(row, 'namespace')
  const name = textField(row, 'name') || 'server'
  return namespace.toLowerCase() === 'default' ? name : `${namespace}/${name}`
}

function worstStatus(checks: readonly MeshCheck[]): string {
  const hasAny = (status: string) => checks.some((check) => check.status === status)
  return statusesByWeight.findLast(hasAny) ?? 'passing'
}

function textField(row: StateRow, name: string): string {
  const value = row[name]
  return typeof value === 'string' ? value : ''
}
