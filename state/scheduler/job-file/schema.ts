import type { Scope } from '../../hcl/language/scope.ts'
import type { Block } from '../../hcl/syntax/ast.ts'
import type { Diagnostic } from '../../hcl/syntax/error.ts'
import type { Range } from '../../hcl/syntax/source.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { StructShape } from '../../kernel/shape/kinds.ts'

/**
 * The type that the value of an argument has to have. Whole numbers have the width of the
 * reference's field, which its messages tell; a duration is a Go duration or a number, of
 * nanoseconds either way.
 */
export type ArgumentType =
  | 'string'
  | 'bool'
  | 'int'
  | 'int8'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'duration'
  | 'list of string'
  | 'list of uint16'
  | 'map of string'

/** `name = value` in a block. */
export interface ArgumentRule {
  readonly type: ArgumentType
  /** The member of the job that takes the value; undefined for one that is read and dropped. */
  readonly member: string | undefined
  /** The reference's field cannot be null, so null is refused instead of meaning "not written". */
  readonly definite?: boolean
  readonly required?: true
  /** Short form of a constraint: the value goes to the member, the argument's name to `Operand`. */
  readonly isShortForm?: true
  /** The vendor's name for the argument (behaviour/scheduler#vendor-names); read as well. */
  readonly vendor?: string
}

/** The contents of a block's braces. */
export type Contents = FixedContents | FreeContents

/** Arguments and blocks that are known by name. */
export interface FixedContents {
  /** What the members make; absent where a job keeps them as they come. */
  readonly shape?: StructShape
  readonly arguments: Readonly<Record<string, ArgumentRule>>
  readonly blocks: Readonly<Record<string, BlockRule>>
  /** Members that the parser fills when they are not written (behaviour/scheduler#job-files). */
  readonly defaults?: JsonObject
  /** Blocks of later releases, which are refused without a guess at what was meant. */
  readonly later?: readonly string[]
  /** Constraints and affinities are read by another part of the reference, with texts of its own. */
  readonly wording?: 'specification'
  /** Returns what else there is to check or to fill, once everything inside is read. */
  readonly postprocess?: (object: JsonObject, context: PostprocessContext) => void
}

/** Names that the user chooses, with values of one type. */
export interface FreeContents {
  readonly values: 'string' | 'list of string' | 'any'
}

/** The facts that `FixedContents.finish` may look at. */
export interface PostprocessContext {
  /** The label; empty without one. */
  readonly label: string
  /** Header of the block. */
  readonly range: Range
  /** The problem of an argument that should be there. */
  missing(argument: string): Diagnostic
  /** Where the value of an argument stands; undefined when it is not written. */
  valueRange(argument: string): Range | undefined
  report(problem: Diagnostic): void
}

/** `type "label" { ... }` in a block. */
export interface BlockRule {
  /** The member of the job that takes the block; undefined for one that is read and dropped. */
  readonly member: string | undefined
  /** One object, a list of them, or objects by label. */
  readonly as: 'object' | 'list' | 'map'
  readonly label?: LabelRule
  readonly contents: Contents
  /** Also taken as `type = { ... }`. */
  readonly assignable?: true
  /** The vendor's name for the block; read as well. */
  readonly vendor?: string
  /** The reference looks for it before all others, with a text of its own about a second one. */
  readonly checkedFirst?: true
  /** The reference loses what is wrong in it. */
  readonly ignoresProblems?: true
  /** Which of several blocks count; reports what is wrong about the others. */
  readonly select?: (
    blocks: readonly ScopedBlock[],
    report: PostprocessContext['report'],
  ) => readonly ScopedBlock[]
}

/** A block with the scope of its expressions. */
export interface ScopedBlock {
  readonly block: Block
  readonly scope: Scope
}

/** The one label that a block has. */
interface LabelRule {
  /** As messages about a missing label call it; the reference leaves it empty in places. */
  readonly name: string
  readonly member: string
  /** The reference looks for the block twice, and tells twice that the label is missing. */
  readonly reportedTwice?: true
}

/** Arguments by name. */
type Rules = Readonly<Record<string, ArgumentRule>>

/**
 * Arguments of one type, as `max_parallel cpu->CPU`: the member follows the arrow, else it is the
 * argument's name in the spelling of the API (`MaxParallel`).
 */
export function args(type: ArgumentType, names: string, more: Partial<ArgumentRule> = {}): Rules {
  return Object.fromEntries(
    names.split(' ').map((entry) => {
      const [name = '', member = toPascalCase(name)] = entry.split('->')
      return [name, { type, member, ...more }]
    }),
  )
}

/** As `all`, for fields of the reference that cannot be null. */
export function definite(type: ArgumentType, names: string): Rules {
  return args(type, names, { definite: true })
}

function toPascalCase(name: string): string {
  return name
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}

/** At most one block of its type. */
export function singleBlock(
  member: string | undefined,
  contents: Contents,
  more: Partial<BlockRule> = {},
): BlockRule {
  return { member, as: 'object', contents, ...more }
}

/** Any number of blocks, in the order of the file. */
export function repeatedBlock(
  member: string | undefined,
  contents: Contents,
  more: Partial<BlockRule> = {},
): BlockRule {
  return { member, as: 'list', contents, ...more }
}

/** Blocks that have a label; the members named take it. */
export function withLabel(name: string, member: string): { readonly label: LabelRule } {
  return { label: { name, member } }
}

export const stringValues: FreeContents = { values: 'string' }
export const stringListValues: FreeContents = { values: 'list of string' }
export const anyValues: FreeContents = { values: 'any' }

/** Contents without blocks. */
export function argumentsOnly(rules: Rules, more: Partial<FixedContents> = {}): FixedContents {
  return { arguments: rules, blocks: {}, ...more }
}
