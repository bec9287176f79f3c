import type { Move, MoveOf } from './identity-commands.ts'

/** Ids and names that the store generated in a move. */
export interface CreatedIds {
  readonly entity?: string
  readonly entityName?: string
  readonly alias?: string
  readonly group?: string
  readonly groupName?: string
  readonly token?: string
  readonly accessor?: string
}

interface ModelEntity {
  name: string
  policies: string[]
  disabled: boolean
  /** Entities merged into this one. */
  readonly was: string[]
}

interface ModelAlias {
  name: string
  method: string
  owner: string
}

interface ModelGroup {
  name: string
  readonly type: 'internal' | 'external'
  policies: string[]
  entities: Set<string>
  groups: Set<string>
  alias: { readonly id: string; readonly name: string; readonly method: string } | null
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
const sorted = (names: Iterable<string>) => [...new Set(names)].sort()
const id = (made: string | undefined): string => {
  if (made === undefined) throw new Error('the store made nothing')
  return made
}

/** A minimal identity store: plain maps without indexes. */
export class IdentityModel {
  readonly entities = new Map<string, ModelEntity>()
  readonly aliases = new Map<string, ModelAlias>()
  readonly groups = new Map<string, ModelGroup>()
  readonly tokens = new Map<string, { readonly entity: string; readonly method: string }>()
  readonly methods: string[]

  constructor(methods: readonly string[]) {
    this.methods = [...methods]
  }

  /** Applies a move; returns the rule that refuses it, or `done`. */
  act(move: Move, made: CreatedIds): string {
    switch (move.kind) {
      case 'login':
        return this.#login(move, made)
      case 'entity':
        return this.#writeEntity(move, made)
      case 'delete-entities':
        if (move.ids.length === 0) return 'entity-ids-missing'
        for (const each of move.ids) this.#forget(each)
        return 'done'
      case 'merge':
        return this.#merge(move)
      case 'alias':
        return this.#writeAlias(move, made)
      case 'delete-alias':
        this.aliases.delete(move.id)
        return 'done'
      case 'group':
        return this.#writeGroup(move, made)
      case 'delete-group':
        this.groups.delete(move.id)
        for (const group of this.groups.values()) group.groups.delete(move.id)
        return 'done'
      case 'group-alias':
        return this.#writeGroupAlias(move, made)
      case 'delete-group-alias':
        for (const group of this.groups.values()) {
          if (group.alias?.id === move.id) group.alias = null
        }
        return 'done'
      case 'remount':
        this.#remount(move.method, id(made.accessor))
        return 'done'
    }
  }

  /** Returns the current entity of a token. */
  holder(token: string): [id: string, entity: ModelEntity] | undefined {
    const held = this.tokens.get(token)
    if (held === undefined) return undefined
    return [...this.entities].find(([id, { was }]) => [id, ...was].includes(held.entity))
  }

  /** Returns the groups of an entity: only the direct ones, or also their ancestors. */
  groupsOf(entity: string, way: 'direct' | 'all'): string[] {
    const belongs = (group: string): boolean => {
      const { entities, groups } = this.groups.get(group) ?? { entities: new Set(), groups: [] }
      return entities.has(entity) || (way === 'all' && [...groups].some(belongs))
    }
    return sorted([...this.groups.keys()].filter(belongs))
  }

  aliasesOf(entity: string): string[] {
    return sorted([...this.aliases].flatMap(([id, { owner }]) => (owner === entity ? [id] : [])))
  }

  named(kind: 'entities' | 'groups', name: string): string | undefined {
    return [...this[kind]].find(([, row]) => same(row.name, name))?.[0]
  }

  aliasAt(method: string, name: string): string | undefined {
    const found = [...this.aliases].find(([, row]) => row.method === method && same(row.name, name))
    return found?.[0]
  }

  groupAt(method: string, name: string): string | undefined {
    const found = [...this.groups].find(
      ([, { alias }]) => alias?.method === method && same(alias.name, name),
    )
    return found?.[0]
  }

  #login({ method, name, groups }: MoveOf<'login'>, made: CreatedIds): string {
    const known = this.aliases.get(this.aliasAt(method, name) ?? '')
    if (known !== undefined && this.entities.get(known.owner)?.disabled) return 'token-refused'
    const owner = known?.owner ?? this.#newEntity(made)
    if (known === undefined) this.aliases.set(id(made.alias), { name, method, owner })
    for (const { alias, entities } of this.groups.values()) {
      if (groups === undefined || alias?.method !== method) continue
      if (groups.some((each) => same(each, alias.name))) entities.add(owner)
      else entities.delete(owner)
    }
    this.tokens.set(id(made.token), { entity: owner, method })
    return 'done'
  }

  #newEntity(made: CreatedIds, name = id(made.entityName)): string {
    const entity = id(made.entity)
    this.entities.set(entity, { name, policies: [], disabled: false, was: [] })
    return entity
  }

  #writeEntity(move: MoveOf<'entity'>, made: CreatedIds): string {
    const byName = move.name && this.named('entities', move.name)
    if (move.id !== undefined && !this.entities.has(move.id)) return 'entity-id-unknown'
    if (move.id !== undefined && byName && byName !== move.id) return 'entity-name-taken'
    if (move.policies?.includes('root')) return 'identity-policies-root'
    const entity = this.entities.get(move.id || byName || this.#newEntity(made, move.name))
    if (entity === undefined) throw new Error('there is no such entity')
    entity.name = move.name ?? entity.name
    entity.policies = sorted(move.policies ?? entity.policies)
    entity.disabled = move.disabled ?? entity.disabled
    return 'done'
  }

  #forget(entity: string): void {
    this.entities.delete(entity)
    for (const each of this.aliasesOf(entity)) this.aliases.delete(each)
    for (const group of this.groups.values()) group.entities.delete(entity)
  }

  #merge({ to, from, keep }: MoveOf<'merge'>): string {
    if (to === undefined) return 'merge-target-missing'
    if (from.length === 0) return 'merge-sources-missing'
    const target = this.entities.get(to)
    if (target === undefined) return 'merge-target-unknown'
    if (from.length > 1 && keep.length > 1) return 'merge-one-at-a-time'
    const sources = sorted(from)
    for (const source of sources) {
      if (source === to) return 'merge-into-itself'
      if (!this.entities.has(source)) return 'merge-source-unknown'
    }
    const methodOf = (alias: string) => this.aliases.get(alias)?.method
    const own = (alias: string) =>
      this.aliasesOf(to).find((each) => methodOf(each) === methodOf(alias))
    const moving = sources.flatMap((source) => this.aliasesOf(source))
    const clashing = moving.filter((alias) => own(alias) !== undefined)
    for (const [at, alias] of moving.entries()) {
      if (moving.slice(0, at).some((other) => methodOf(other) === methodOf(alias))) {
        return 'merge-accessor-repeated'
      }
      const pair = [alias, own(alias) ?? '']
      const isOpen = clashing.includes(alias) && !pair.some((each) => keep.includes(each))
      if (isOpen && keep.length > 0) return 'merge-clash-undecided'
    }
    if (clashing.length > 0 && keep.length === 0) return 'merge-clashes'
    for (const alias of moving) {
      const before = own(alias)
      const loses = before !== undefined && keep.includes(before) ? alias : before
      if (loses !== undefined) this.aliases.delete(loses)
      const moved = this.aliases.get(alias)
      if (moved !== undefined) moved.owner = to
    }
    for (const source of sources) {
      for (const { entities } of this.groups.values()) if (entities.has(source)) entities.add(to)
      target.was.push(...(this.entities.get(source)?.was ?? []), source)
      this.#forget(source)
    }
    return 'done'
  }

  #writeAlias(move: MoveOf<'alias'>, made: CreatedIds): string {
    const { name = '', method = '', entity } = move
    if (move.id !== undefined && !this.aliases.has(move.id)) return 'alias-id-unknown'
    if (move.id === undefined) {
      if (name === '' || method === '') return 'alias-factors-missing'
      if (!this.methods.includes(method)) return 'mount-accessor-unknown'
    }
    const known = this.aliases.get(move.id ?? this.aliasAt(method, name) ?? '')
    if (known !== undefined) return this.#changeAlias(known, move)
    if (entity !== undefined && !this.entities.has(entity)) return 'alias-entity-invalid'
    if (entity !== undefined && this.#hasAt(entity, method)) return 'alias-exists'
    this.aliases.set(id(made.alias), { name, method, owner: entity ?? this.#newEntity(made) })
    return 'done'
  }

  #hasAt(entity: string, method: string): boolean {
    return this.aliasesOf(entity).some((alias) => this.aliases.get(alias)?.method === method)
  }

  #changeAlias(alias: ModelAlias, { name, method, entity }: MoveOf<'alias'>): string {
    const after = {
      name: name ?? alias.name,
      method: method ?? alias.method,
      owner: entity ?? alias.owner,
    }
    const isMoved = after.owner !== alias.owner
    const isOnOtherMount = after.method !== alias.method
    if (isOnOtherMount && !isMoved && this.#hasAt(alias.owner, after.method)) {
      return 'alias-accessor-taken'
    }
    if (isOnOtherMount && !this.methods.includes(after.method)) return 'mount-accessor-unknown'
    const other = this.aliases.get(this.aliasAt(after.method, after.name) ?? '')
    if (other !== undefined && other !== alias) return 'alias-taken'
    if (isMoved && !this.entities.has(after.owner)) return 'alias-entity-unknown'
    if (isMoved && this.#hasAt(after.owner, after.method)) return 'alias-entity-has-one'
    Object.assign(alias, after)
    return 'done'
  }

  #writeGroup(move: MoveOf<'group'>, made: CreatedIds): string {
    const at = move.id ?? this.named('groups', move.name ?? '')
    const known = at === undefined ? undefined : this.groups.get(at)
    if (move.id !== undefined && known === undefined) return 'group-id-unknown'
    if (move.policies?.includes('root')) return 'identity-policies-root'
    const type = move.type ?? known?.type ?? 'internal'
    if (known !== undefined && type !== known.type) return 'group-type-fixed'
    if (type !== 'internal' && type !== 'external') return 'group-type-unknown'
    const other = move.name && this.named('groups', move.name)
    if (other && other !== at) return 'group-name-taken'
    if (type === 'external') {
      if (move.entities !== undefined) return 'group-external-entities'
      if (move.groups !== undefined) return 'group-external-groups'
    }
    if (move.entities?.some((each) => !this.entities.has(each))) return 'group-entity-unknown'
    for (const each of sorted(move.groups ?? [])) {
      if (each === at) return 'group-member-itself'
      if (!this.groups.has(each)) return 'group-member-unknown'
      if (at !== undefined && this.#holds(each, at)) return 'group-circle'
    }
    const fresh = { policies: [], entities: new Set(''), groups: new Set(''), alias: null }
    const group: ModelGroup = known ?? { ...fresh, name: move.name ?? id(made.groupName), type }
    group.name = move.name ?? group.name
    group.policies = sorted(move.policies ?? group.policies)
    group.entities = new Set(move.entities ?? group.entities)
    group.groups = new Set(move.groups ?? group.groups)
    this.groups.set(at ?? id(made.group), group)
    return 'done'
  }

  /** Returns whether a group is a descendant of another. */
  #holds(group: string, wanted: string): boolean {
    const { groups } = this.groups.get(group) ?? { groups: new Set('') }
    return groups.has(wanted) || [...groups].some((each) => this.#holds(each, wanted))
  }

  #writeGroupAlias(move: MoveOf<'group-alias'>, made: CreatedIds): string {
    const { name = '', method = '' } = move
    const before = [...this.groups].find(([, { alias }]) => alias?.id === move.id && alias)
    if (move.id !== undefined && before === undefined) return 'group-alias-id-unknown'
    if (name === '') return 'group-alias-name-missing'
    if (method === '') return 'group-alias-accessor-missing'
    const [holder, { alias = null } = {}] = before ?? []
    const target = move.group ?? holder
    if (alias?.name === name && alias.method === method && target === holder) return 'done'
    const group = this.groups.get(target ?? '')
    if (target !== undefined && group === undefined) return 'group-alias-group-unknown'
    if (group !== undefined && group.type !== 'external') return 'group-alias-internal'
    if (!this.methods.includes(method)) return 'mount-accessor-unknown'
    const taken = this.groupAt(method, name)
    if (taken !== undefined && taken !== holder) return 'group-alias-taken'
    if (before !== undefined) before[1].alias = null
    if (target === undefined) {
      this.#writeGroup({ kind: 'group', type: 'external' }, made)
    }
    const owner = this.groups.get(target ?? id(made.group))
    if (owner !== undefined) owner.alias = { id: id(made.alias), name, method }
    return 'done'
  }

  #remount(old: string, accessor: string): void {
    this.methods.splice(this.methods.indexOf(old), 1, accessor)
    for (const [each, { method }] of this.aliases) if (method === old) this.aliases.delete(each)
    for (const group of this.groups.values()) if (group.alias?.method === old) group.alias = null
    for (const [each, { method }] of this.tokens) if (method === old) this.tokens.delete(each)
  }
}
