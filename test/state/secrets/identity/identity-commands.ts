import fc from 'fast-check'

/** An operation on the identity store; `Ref` identifies a thing, `Method` a login method. */
export type Command<Ref, Method> =
  | { kind: 'login'; method: Method; name: string; groups?: string[] | undefined }
  | {
      kind: 'entity'
      id?: Ref | undefined
      name?: string
      policies?: string[]
      disabled?: boolean
    }
  | { kind: 'delete-entities'; ids: Ref[] }
  | { kind: 'merge'; to?: Ref | undefined; from: Ref[]; keep: Ref[] }
  | {
      kind: 'alias'
      id?: Ref | undefined
      name?: string
      method?: Method | undefined
      entity?: Ref | undefined
    }
  | { kind: 'delete-alias'; id: Ref }
  | {
      kind: 'group'
      id?: Ref | undefined
      name?: string
      type?: string
      policies?: string[]
      entities?: Ref[] | undefined
      groups?: Ref[] | undefined
    }
  | { kind: 'delete-group'; id: Ref }
  | {
      kind: 'group-alias'
      id?: Ref | undefined
      name?: string
      method?: Method | undefined
      group?: Ref | undefined
    }
  | { kind: 'delete-group-alias'; id: Ref }
  | { kind: 'remount'; method: Method }

/** A command with ids and accessors. */
export type Move = Command<string, string>
/** A move of one kind. */
export type MoveOf<Kind extends Move['kind']> = Extract<Move, { kind: Kind }>

/** Names of entities, groups and aliases: two differ only in case. */
export const names = ['ann', 'Ann', 'bob', 'cid']
/** Policies of entities and groups. */
export const policies = ['p', 'q', 'r']

/** Generates the number of an existing, deleted or unknown thing. */
const ref = fc.nat(19)
const method = fc.nat(2)
const name = fc.constantFrom(...names)
const optionally = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined, freq: 2 })
const refs = fc.array(ref, { maxLength: 3 })
const some = fc.array(ref, { minLength: 1, maxLength: 2 })
const granted = fc.oneof(
  { weight: 19, arbitrary: fc.shuffledSubarray(policies) },
  { weight: 1, arbitrary: fc.constant<string[]>(['root']) },
)
const optional: { requiredKeys: ['kind']; noNullPrototype: true } = {
  requiredKeys: ['kind'],
  noNullPrototype: true,
}
const kind = <const K extends string>(word: K) => fc.constant(word)

/** Generates any command, with things and methods as numbers. */
export const command: fc.Arbitrary<Command<number, number>> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind('login'),
      method: fc.nat(1),
      name,
      groups: optionally(fc.subarray(names)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        kind: kind('entity'),
        id: optionally(ref),
        name,
        policies: granted,
        disabled: fc.boolean(),
      },
      optional,
    ),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete-entities'), ids: refs }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('merge'),
      to: fc.option(ref, { nil: undefined, freq: 9 }),
      from: fc.oneof(
        { weight: 9, arbitrary: some },
        { weight: 1, arbitrary: fc.constant<number[]>([]) },
      ),
      keep: refs,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record(
      { kind: kind('alias'), id: optionally(ref), name, method, entity: optionally(ref) },
      optional,
    ),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete-alias'), id: ref }) },
  {
    weight: 6,
    arbitrary: fc.record(
      {
        kind: kind('group'),
        id: optionally(ref),
        name,
        type: fc.constantFrom('internal', 'internal', 'internal', 'external', 'external', 'odd'),
        policies: granted,
        entities: optionally(refs),
        groups: optionally(refs),
      },
      optional,
    ),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: kind('group'), id: ref, groups: some }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind('group'), id: ref, entities: some, policies: granted }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete-group'), id: ref }) },
  {
    weight: 4,
    arbitrary: fc.record(
      { kind: kind('group-alias'), id: optionally(ref), name, method, group: optionally(ref) },
      optional,
    ),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete-group-alias'), id: ref }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('remount'), method: fc.nat(1) }) },
)

/**
 * The first commands of every run: a chain of groups, two entities in the last one, and a login.
 */
export const opening: readonly Command<number, number>[] = [
  { kind: 'group', policies: ['p'] },
  { kind: 'group', policies: ['q'], groups: [0] },
  { kind: 'group', policies: ['r'], groups: [1] },
  { kind: 'login', method: 0, name: 'ann' },
  { kind: 'login', method: 1, name: 'bob' },
  { kind: 'group', id: 0, entities: [0, 1] },
  { kind: 'group', type: 'external' },
]
