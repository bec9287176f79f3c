import { hasSecretKeys } from './secret.ts'

/** Row of a table in a state document. */
export type StateRow = Readonly<Record<string, unknown>>

/** Part of a state document that belongs to one service. */
export interface ServiceState {
  readonly tables: Readonly<Record<string, Readonly<Record<string, StateRow>>>>
}

export interface PlacedRow {
  readonly table: string
  readonly key: string
  readonly row: StateRow
}

/** Item of a service: a row with its versions. */
export interface StateItem extends PlacedRow {
  /**
   * Id of the item in the page's address: table and key, or table and title if the key is a secret.
   */
  readonly id: string
  readonly title: string
  /** Folders of the item, outermost first, followed by its name. */
  readonly path: readonly string[]
  /** Rows of the item's versions, newest first. */
  readonly versions: readonly PlacedRow[]
}

interface ItemGroup {
  readonly table: string
  readonly title: string
  readonly items: readonly StateItem[]
}

/**
 * Tables that hold versions of the rows of another table, each with the name of that other table.
 */
const versionTables: Readonly<Record<string, string>> = {
  'secrets.kv2-data': 'kv2-keys',
  'scheduler.job-versions': 'jobs',
}

/** Titles of common tables; other tables show their own names. */
const titles: Readonly<Record<string, string>> = {
  'kv2-keys': 'secrets',
  'kv1-secrets': 'secrets (version 1)',
  'acl-tokens': 'tokens',
  'acl-policies': 'policies',
  'acl-roles': 'roles',
}

/** Tables at the top of the list. */
const tablesFirst = ['kv2-keys', 'kv1-secrets', 'policies', 'tokens', 'mounts', 'test-runs', 'jobs']
/** Tables at the bottom of the list. */
const tablesLast = ['indexes', 'server', 'seal', 'keyring', 'node', 'acl-facts', 'acl-bootstrap']

function tableRank(table: string): number {
  const at = tablesFirst.indexOf(table)
  return at >= 0 ? at : tablesLast.includes(table) ? tablesFirst.length + 1 : tablesFirst.length
}

/**
 * Returns the items of a service, sorted by title and grouped by table, without empty groups. Rows
 * of version tables are part of their items.
 */
export function itemGroups(service: string, { tables }: ServiceState): readonly ItemGroup[] {
  return Object.entries(tables)
    .filter(([table]) => versionTables[`${service}.${table}`] === undefined)
    .map(([table, rows]) => {
      const versions = versionsFor(service, table, tables)
      const folderPath = folderPathOf(service, table, tables)
      const isHidden = hasSecretKeys(`${service}.${table}`)
      const items = Object.entries(rows).map(([key, row], at) => {
        const name = isHidden ? titleWithoutKey(row, at) : titleOf(table, key, row)
        const path = folderPath?.(key, row) ?? [name]
        return {
          table,
          key,
          row,
          // If the key is a secret, the page's address contains the title instead.
          id: `${table} ${isHidden ? name : key}`,
          title: path.join(''),
          path,
          versions: versions.get(key) ?? [],
        }
      })
      items.sort((a, b) => (a.title < b.title ? -1 : 1))
      return { table, title: titles[table] ?? table.replaceAll('-', ' '), items }
    })
    .filter(({ items }) => items.length > 0)
    .sort((a, b) => tableRank(a.table) - tableRank(b.table))
}

/** Returns the versions of a table's items, newest first, by the key of the item. */
function versionsFor(service: string, table: string, tables: ServiceState['tables']) {
  const versionsByOwner = new Map<string, PlacedRow[]>()
  const [name] =
    Object.entries(versionTables).find(
      ([name, owner]) => name.startsWith(`${service}.`) && owner === table,
    ) ?? []
  const versionTable = name?.slice(service.length + 1)
  if (versionTable === undefined) return versionsByOwner
  for (const [key, row] of Object.entries(tables[versionTable] ?? {})) {
    // The key of a version is the key of its owner, a separator and the version number.
    const owner = key.replace(/\W\d+$/, '')
    const known = versionsByOwner.get(owner) ?? []
    known.push({ table: versionTable, key, row })
    versionsByOwner.set(owner, known)
  }
  for (const rows of versionsByOwner.values()) rows.sort((a, b) => versionOf(b) - versionOf(a))
  return versionsByOwner
}

/** Returns the version number at the end of a row's key; 0 if there is none. */
export function versionOf({ key }: PlacedRow): number {
  return Number(/\d+$/.exec(key)?.[0] ?? 0)
}

/**
 * Returns a function that returns the folders and the name of a row; undefined for tables without
 * folders.
 */
function folderPathOf(service: string, table: string, tables: ServiceState['tables']) {
  const location = `${service}.${table}`
  if (location === 'secrets.kv2-keys' || location === 'secrets.kv1-secrets') {
    return (key: string) => {
      const slash = key.indexOf('/')
      const mount = mountOf(key.slice(0, slash), tables)
      return [mount ?? key.slice(0, slash + 1), ...segments(key.slice(slash + 1))]
    }
  }
  if (location === 'secrets.policies' || location === 'secrets.mounts') {
    return (key: string) => {
      const slash = key.indexOf('/')
      const namespace = namespaceOf(key.slice(0, slash), tables)
      return [...(namespace === '' ? [] : [namespace]), key.slice(slash + 1)]
    }
  }
  if (location === 'scheduler.jobs') {
    return (_: string, { Namespace, ID }: StateRow) => [`${Namespace}/`, String(ID)]
  }
  return undefined
}

/** Splits a path into segments; each folder keeps its slash. */
function segments(path: string): readonly string[] {
  return path.match(/[^/]*\/|[^/]+$/g) ?? [path]
}

/** Returns a title that does not reveal the item's secret key. */
function titleWithoutKey(row: StateRow, at: number): string {
  const label = row['display_name'] ?? row['kind']
  return [label, row['accessor'] ?? row['subject'] ?? at + 1].filter(Boolean).join(' · ')
}

function titleOf(table: string, key: string, row: StateRow): string {
  if (/tokens$/.test(table)) {
    const label = row['Name'] ?? row['description'] ?? row['Description']
    const accessor = row['accessor_id'] ?? row['AccessorID']
    return [label, accessor].filter(Boolean).join(' · ') || key
  }
  if (table === 'test-runs' || table === 'configuration-versions') return String(row['id'] ?? key)
  const name = row['Name'] ?? row['name'] ?? row['username'] ?? row['JobID'] ?? row['kind']
  const isOpaqueId = /^[0-9a-f-]{36}$|^[a-z]+-\w{16}$/.test(key)
  if (isOpaqueId && typeof name === 'string' && name !== '') return `${name} · ${key}`
  return key || table
}

/**
 * Returns the path of a namespace by its id, with a trailing slash; empty for the root namespace.
 * If the namespace is unknown, the id takes the place of the path.
 */
export function namespaceOf(id: string, tables: ServiceState['tables']): string {
  if (id === 'root') return ''
  const namespaceRow = Object.values(tables['namespaces'] ?? {}).find((row) => row['id'] === id)
  return String(namespaceRow?.['path'] ?? `${id}/`)
}

/** Returns the path of a mount below `/v1`, by its id; undefined if there is no such mount. */
export function mountOf(uuid: string, tables: ServiceState['tables']): string | undefined {
  const mountEntry = Object.entries(tables['mounts'] ?? {}).find(([, row]) => row['uuid'] === uuid)
  if (mountEntry === undefined) return undefined
  const [key] = mountEntry
  const slash = key.indexOf('/')
  return namespaceOf(key.slice(0, slash), tables) + key.slice(slash + 1)
}

/**
 * Returns the items that contain all words of a text, in their groups. Groups without such an item
 * are left out.
 */
export function searchItems(groups: readonly ItemGroup[], text: string): readonly ItemGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return groups
  return groups
    .map((group) => ({
      ...group,
      items: group.items.filter(({ title, key }) => {
        const searchText = `${group.title} ${title} ${key}`.toLowerCase()
        return words.every((word) => searchText.includes(word))
      }),
    }))
    .filter(({ items }) => items.length > 0)
}

/** Returns a fixtures document with the exact rows of items and of their versions. */
export function fixturesOf(service: string, items: readonly StateItem[]): object {
  const tables: Record<string, Record<string, StateRow>> = {}
  for (const { table, key, row, versions } of items) {
    for (const placedRow of [{ table, key, row }, ...versions]) {
      const rows = tables[placedRow.table] ?? {}
      rows[placedRow.key] = placedRow.row
      tables[placedRow.table] = rows
    }
  }
  return { [service]: { tables } }
}

/** Row of the tree: a group, a folder or an item. */
export type TreeRow =
  | (TreeBranch & { readonly kind: 'group' | 'folder' })
  | {
      readonly kind: 'item'
      readonly id: string
      readonly level: number
      readonly item: StateItem
    }

interface TreeBranch {
  readonly id: string
  readonly level: number
  readonly name: string
  readonly count: number
}

/** Returns groups as rows of a tree, without the rows inside folded groups and folders. */
export function treeRows(
  groups: readonly ItemGroup[],
  foldedIds: ReadonlySet<string>,
): readonly TreeRow[] {
  return groups.flatMap(({ table, title, items }) => {
    const id = `group ${table}`
    const group = { kind: 'group', id, level: 1, name: title, count: items.length } as const
    return foldedIds.has(id) ? [group] : [group, ...branchRows(table, items, 0, foldedIds)]
  })
}

/** Returns the rows of items that share their first folders; the items are sorted by title. */
function branchRows(
  location: string,
  items: readonly StateItem[],
  depth: number,
  folded: ReadonlySet<string>,
): readonly TreeRow[] {
  const rows: TreeRow[] = []
  const level = depth + 2
  for (let at = 0; at < items.length; ) {
    const item = items[at]
    if (item === undefined) break
    const name = item.path[depth] ?? ''
    if (depth >= item.path.length - 1) {
      rows.push({ kind: 'item', id: item.id, level, item })
      at += 1
      continue
    }
    let end = at + 1
    while (isBelow(items[end], depth, name)) end += 1
    const inner = items.slice(at, end)
    const id = `folder ${location}/${name}`
    rows.push({ kind: 'folder', id, level, name, count: inner.length })
    at = end
    if (folded.has(id)) continue
    for (const row of branchRows(`${location}/${name}`, inner, depth + 1, folded)) rows.push(row)
  }
  return rows
}

function isBelow(item: StateItem | undefined, depth: number, name: string): boolean {
  return item !== undefined && item.path.length - 1 > depth && item.path[depth] === name
}
