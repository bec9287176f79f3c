import type { Scope } from '../../hcl/language/scope.ts'
import type { Block } from '../../hcl/syntax/ast.ts'
import type { Diagnostic } from '../../hcl/syntax/error.ts'
import type { Range } from '../../hcl/syntax/source.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { StructShape } from '../../kernel/shape/kinds.ts'

/**
 * The type of an argument's value. An integer has the width of the reference's field; messages
 * mention the width. A duration is a Go duration or a number of nanoseconds.
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

/** Rule for `name = value` in a block. */
export interface ArgumentRule {
  readonly type: ArgumentType
  /** The member of the job that gets the value; undefined if the value is read and dropped. */
  readonly member: string | undefined
  /**
   * True if the reference's field cannot be null. Null is then refused, instead of having the same
   * effect as a missing argument.
   */
  readonly definite?: boolean
  readonly required?: true
  /**
   * True for a short form of a constraint: the member gets the value, and `Operand` gets the name
   * of the argument.
   */
  readonly isShortForm?: true
  /**
   * The vendor's name of the argument, which is also accepted (behaviour/scheduler#vendor-names).
   */
  readonly vendor?: string
}

/** The contents of a block. */
export type Contents = FixedContents | FreeContents

/** Arguments and blocks with known names. */
export interface FixedContents {
  /** Shape of the resulting object; undefined if the job stores the members as written. */
  readonly shape?: StructShape
  readonly arguments: Readonly<Record<string, ArgumentRule>>
  readonly blocks: Readonly<Record<string, BlockRule>>
  /** Default values of members (behaviour/scheduler#job-files). */
  readonly defaults?: JsonObject
  /** Block types of later releases, which are refused without a suggestion. */
  readonly later?: readonly string[]
  /**
   * Present for constraints and affinities, which the reference reads by other code with other
   * messages.
   */
  readonly wording?: 'specification'
  /** Checks and completes an object after its contents are read. */
  readonly postprocess?: (object: JsonObject, context: PostprocessContext) => void
}

/** Arguments whose names users choose and whose values have one type. */
export interface FreeContents {
  readonly values: 'string' | 'list of string' | 'any'
}

/** Input of `FixedContents.postprocess`. */
export interface PostprocessContext {
  /** The label; empty if there is none. */
  readonly label: string
  /** Position of the block header in the file. */
  readonly range: Range
  /** Returns the problem to report for a missing required argument. */
  missing(argument: string): Diagnostic
  /** Returns the range of an argument's value; undefined if the file does not have the argument. */
  valueRange(argument: string): Range | undefined
  report(problem: Diagnostic): void
}

/** Rule for `type "label" { ... }` in a block. */
export interface BlockRule {
  /** The member of the job that gets the block; undefined if the block is read and dropped. */
  readonly member: string | undefined
  /** Form in which the member contains the blocks: one object, a list, or a map by label. */
  readonly as: 'object' | 'list' | 'map'
  readonly label?: LabelRule
  readonly contents: Contents
  /** True if `type = { ... }` is accepted. */
  readonly assignable?: true
  /** The vendor's name of the block, which is also accepted. */
  readonly vendor?: string
  /**
   * True if the reference checks this block before all others, and has another message for
   * duplicates of it.
   */
  readonly checkedFirst?: true
  /** True if the reference discards the problems inside this block. */
  readonly ignoresProblems?: true
  /** Returns the valid blocks among several and reports problems of the others. */
  readonly select?: (
    blocks: readonly ScopedBlock[],
    report: PostprocessContext['report'],
  ) => readonly ScopedBlock[]
}

/** A block, and the scope in which its expressions are evaluated. */
export interface ScopedBlock {
  readonly block: Block
  readonly scope: Scope
}

/** The single label of a block. */
interface LabelRule {
  /** The name of the label in messages. The reference leaves it empty in some places. */
  readonly name: string
  readonly member: string
  /**
   * True if the reference looks for the block twice and therefore reports a missing label twice.
   */
  readonly reportedTwice?: true
}

/** Arguments by name. */
type Rules = Readonly<Record<string, ArgumentRule>>

/**
 * Builds rules for arguments of one type, such as `max_parallel cpu->CPU`. The member of the job
 * follows the arrow; by default, it is the name of the argument in the API's spelling
 * (`MaxParallel`).
 */
export function args(type: ArgumentType, names: string, more: Partial<ArgumentRule> = {}): Rules {
  return Object.fromEntries(
    names.split(' ').map((entry) => {
      const [name = '', member = toPascalCase(name)] = entry.split('->')
      return [name, { type, member, ...more }]
    }),
  )
}

function toPascalCase(name: string): string {
  return name
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}

/** Builds a rule for at most one block of its type. */
export function singleBlock(
  member: string | undefined,
  contents: Contents,
  more: Partial<BlockRule> = {},
): BlockRule {
  return { member, as: 'object', contents, ...more }
}

/** Builds a rule for any number of blocks, in the order of the file. */
export function repeatedBlock(
  member: string | undefined,
  contents: Contents,
  more: Partial<BlockRule> = {},
): BlockRule {
  return { member, as: 'list', contents, ...more }
}

/** Builds a rule for a label, whose value the named member gets. */
export function withLabel(name: string, member: string): { readonly label: LabelRule } {
  return { label: { name, member } }
}

export const stringValues: FreeContents = { values: 'string' }
export const stringListValues: FreeContents = { values: 'list of string' }
export const anyValues: FreeContents = { values: 'any' }
