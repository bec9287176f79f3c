import { appendAll } from '../../kernel/lists.ts'
import type { Attribute, Block, Body } from '../syntax/ast.ts'
import { type Diagnostic, formatDiagnostic, HclError } from '../syntax/error.ts'
import { type ParseOptions, parseHcl } from '../syntax/parser.ts'
import { type Budget, budgetFor } from './budget.ts'
import { bodySchema, readAttributes, readContent } from './content.ts'
import { evaluateWithProblems } from './evaluate.ts'
import type { HclFunction } from './function.ts'
import { isHclJson, parseHclJson } from './json-body.ts'
import { firstName, referencesIn } from './references.ts'
import { createScope, type EvaluationEnvironment, type Scope, UNKNOWN } from './scope.ts'
import { checkValue } from './validation.ts'
import type { HclValue } from './values.ts'
import {
  assignVariables,
  type Declarations,
  declareVariables,
  unreadableValues,
} from './variables.ts'

/**
 * Returns the definitions of all `locals` blocks by name. The last definition of a repeated name
 * counts.
 */
function collectLocals(blocks: readonly Block[], problems: Diagnostic[]) {
  const locals = new Map<string, Attribute>()
  for (const block of blocks) {
    if (block.type !== 'locals') continue
    const { attributes, problems: found } = readAttributes(block.body)
    appendAll(problems, found)
    for (const [name, attribute] of attributes) locals.set(name, attribute)
  }
  return locals
}

/**
 * Returns the values of locals. Each local is evaluated once, after the locals to which it refers.
 * A cycle has no such order: a local of the cycle is missing when another one refers to it, which
 * causes the reference's message `Unsupported attribute`. As in the reference, only the first
 * failing local is reported, because its failure may make other locals fail. A local that depends
 * on a variable without a value has no value, and its name is added to `unsetNames`.
 */
function evaluateLocals(
  locals: ReadonlyMap<string, Attribute>,
  variables: HclValue,
  environment: EvaluationEnvironment,
  unsetNames: Set<string>,
  problems: Diagnostic[],
): ReadonlyMap<string, HclValue> {
  const values = new Map<string, HclValue>()
  if (locals.size === 0) return values
  let isReported = false
  for (const { name, attribute, needsAllLocals } of orderLocals(locals)) {
    if (needsAllLocals) environment.budget.spend(values.size)
    const known: HclValue = { kind: 'object', entries: needsAllLocals ? new Map(values) : values }
    const scope = createScope(
      environment,
      new Map([
        ['var', variables],
        ['local', known],
      ]),
    )
    const found = evaluateWithProblems(attribute.expression, scope)
    if (found.value !== undefined) {
      values.set(name, found.value)
    } else if (found.problems.length === 0) {
      unsetNames.add(`local.${name}`)
    } else if (!isReported) {
      appendAll(problems, found.problems)
      isReported = true
    }
  }
  return values
}

interface Local {
  readonly name: string
  readonly attribute: Attribute
  /** Names of the other locals to which this local refers. */
  readonly neededLocals: readonly string[]
  /** Whether the local refers to `local` as a whole. */
  readonly needsAllLocals: boolean
}

/**
 * Sorts locals so that each local comes after the locals to which it refers. A local that refers to
 * `local` as a whole comes last.
 */
function orderLocals(locals: ReadonlyMap<string, Attribute>): Local[] {
  const all = new Map(
    [...locals].map(([name, attribute]) => [name, describeLocal(name, attribute)]),
  )
  const found: Local[] = []
  const visitedNames = new Set<string>()
  for (const local of all.values()) {
    // An explicit stack, because chains of references may contain thousands of locals.
    const stack = [{ local, next: 0 }]
    if (visitedNames.has(local.name)) continue
    visitedNames.add(local.name)
    for (let top = stack[0]; top !== undefined; top = stack[stack.length - 1]) {
      const name = top.local.neededLocals[top.next++]
      if (name === undefined) {
        found.push(top.local)
        stack.pop()
        continue
      }
      const neededLocal = all.get(name)
      if (neededLocal === undefined || visitedNames.has(name)) continue
      visitedNames.add(name)
      stack.push({ local: neededLocal, next: 0 })
    }
  }
  return [
    ...found.filter(({ needsAllLocals }) => !needsAllLocals),
    ...found.filter(({ needsAllLocals }) => needsAllLocals),
  ]
}

function describeLocal(name: string, attribute: Attribute): Local {
  const localReferences = referencesIn(attribute.expression).filter(({ root }) => root === 'local')
  const names = localReferences.map(({ steps }) => firstName(steps))
  const neededLocals = [...new Set(names.filter((needed) => needed !== undefined))]
  return { name, attribute, neededLocals, needsAllLocals: names.includes(undefined) }
}

/** Texts of a job file and, optionally, of the values of its variables. */
interface ModuleSource {
  readonly text: string
  /** `name = value` lines or a JSON object; empty for no values. */
  readonly variables?: string
}

interface ModuleOptions extends ParseOptions {
  /** URL of the manual page about variables, for messages; by default a placeholder. */
  readonly manual?: string
  readonly functions: ReadonlyMap<string, HclFunction>
  /** Returns a random UUID from the world's generator. */
  readonly uuid: () => string
  /** Cost limit of the evaluation; by default in proportion to the texts. */
  readonly budget?: Budget
}

/** Job file with its variables and locals resolved. */
export interface Module {
  /** Scope for the expressions of the blocks, with `var`, `local` and all functions. */
  readonly scope: Scope
  /** `job` blocks, each with one label, in source order. */
  readonly jobs: readonly Block[]
  /** Problems of variables and locals, which the reference reports before those of jobs. */
  readonly problems: readonly Diagnostic[]
}

const TOP_LEVEL = bodySchema(
  [],
  [
    { type: 'variables', labels: [] },
    { type: 'variable', labels: ['name'] },
    { type: 'locals', labels: [] },
    { type: 'job', labels: ['name'] },
  ],
)

const MANUAL_URL = 'https://example.com/docs/job-specification/hcl2/variables'

/**
 * Reads a job file and the values of its variables (behaviour/scheduler#job-file-language). A
 * reference whose root is neither `var`, `local` nor a loop's name is restored as text:
 * `${attr.cpu.arch}`.
 *
 * @returns the jobs, the scope in which to evaluate them, and the problems of variables and locals
 * @throws HclError in each of these cases: the job file or the values cannot be parsed (an error of
 *   the values, `unable to parse var content: ...`, takes precedence); an unexpected item is at top
 *   level; the evaluation is too expensive
 */
export function loadModule(source: ModuleSource, options: ModuleOptions): Module {
  const { text, variables = '' } = source
  const {
    functions,
    uuid,
    manual = MANUAL_URL,
    budget = budgetFor(text, variables),
    ...parsing
  } = options
  const file = parseOrError(() => parseDocument(text, parsing))
  const values = variables === '' ? undefined : readValues(variables, parsing)
  if (file instanceof HclError) throw file
  const { blocks, problems: contentProblems } = readContent(file, TOP_LEVEL)
  if (contentProblems.length > 0) throw decodeError(contentProblems)
  const problems: Diagnostic[] = []
  let declarations = declareVariables(blocks, { budget, uuid }, problems)
  const locals = collectLocals(blocks, problems)
  if (values !== undefined) {
    declarations = assignVariables(declarations, values, { budget, uuid }, problems)
  }
  const sharedEnvironment = { functions, uuid, budget, unknownRoot: interpolationOf }
  const { known, unsetNames } = resolveVariables(declarations, sharedEnvironment, manual, problems)
  const environment = { unsetNames, ...sharedEnvironment }
  const variableValues: HclValue = { kind: 'object', entries: known }
  const local = evaluateLocals(locals, variableValues, environment, unsetNames, problems)
  const scope = createScope(
    environment,
    new Map<string, HclValue>([
      ['var', variableValues],
      ['local', { kind: 'object', entries: local }],
    ]),
  )
  return { scope, jobs: blocks.filter(({ type }) => type === 'job'), problems }
}

/**
 * Parses a document of the language in its native or JSON syntax. Throws an HclError for an invalid
 * document.
 */
export function parseDocument(text: string, options: ParseOptions = {}): Body {
  return isHclJson(text) ? parseHclJson(text, options) : parseHcl(text, options)
}

/** Returns the error that lists all problems of a document's content, one per line. */
export function decodeError(problems: readonly Diagnostic[]): HclError {
  return new HclError(problems.map(formatDiagnostic).join('\n'), problems)
}

function parseOrError(parse: () => Body): Body | HclError {
  try {
    return parse()
  } catch (error) {
    if (error instanceof HclError) return error
    throw error
  }
}

function readValues(text: string, options: ParseOptions): Body {
  const values = parseOrError(() => parseDocument(text, options))
  if (!(values instanceof HclError)) return values
  throw new HclError(unreadableValues(values.diagnostics), values.diagnostics)
}

/** Returns the source text of a reference that only the cluster can resolve. */
function interpolationOf(reference: string): string {
  return `\${${reference}}`
}

/**
 * Returns the values of variables and the names of variables without a value. Adds a problem to
 * `problems` for each variable that breaks a rule or was not set.
 */
function resolveVariables(
  declarations: Declarations,
  environment: EvaluationEnvironment,
  manual: string,
  problems: Diagnostic[],
): { readonly known: ReadonlyMap<string, HclValue>; readonly unsetNames: Set<string> } {
  const known = new Map<string, HclValue>()
  const unsetNames = new Set<string>()
  for (const { name, assignment, validations } of declarations.values()) {
    if (assignment === undefined || assignment.value === UNKNOWN) {
      unsetNames.add(`var.${name}`)
      if (assignment === undefined) problems.push(unsetVariable(name, manual))
      continue
    }
    const { value } = assignment
    known.set(name, value)
    appendAll(problems, checkValue(name, value, assignment, validations, environment))
  }
  return { known, unsetNames }
}

function unsetVariable(name: string, manual: string): Diagnostic {
  return {
    summary: `Unset variable ${JSON.stringify(name)}`,
    detail: `A used variable must be set or have a default value; see ${manual} for details.`,
  }
}
