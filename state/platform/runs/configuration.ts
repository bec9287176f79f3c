import { Budget } from '../../hcl/language/budget.ts'
import { evaluateWithProblems } from '../../hcl/language/evaluate.ts'
import { createScope, type Scope } from '../../hcl/language/scope.ts'
import { type HclValue, isMapping, isSequence } from '../../hcl/language/values.ts'
import type { Attribute, Block, Body, Expression } from '../../hcl/syntax/ast.ts'
import { HclError } from '../../hcl/syntax/error.ts'
import { parseHcl, parseHclExpression } from '../../hcl/syntax/parser.ts'
import type { Archive } from '../../kernel/archives/tar-reader.ts'
import { type Json, JsonNumber } from '../../kernel/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { readArchive } from '../test-runs/archive.ts'
import { effectiveVariablesIn } from '../variable-sets/precedence.ts'
import type { Run } from './runs.ts'

/** Error of a plan or an apply as the tool prints it. */
interface RunError {
  readonly summary: string
  readonly detail: string
}

/** A `resource` block of the configuration. */
export interface ConfiguredResource {
  readonly address: string
  readonly type: string
  readonly name: string
  /** Source text of the block. */
  readonly text: string
  /** Arguments by name, without those whose value is unknown during the plan. */
  readonly values: Readonly<Record<string, Json>>
}

/** An `output` block of the configuration. */
interface ConfiguredOutput {
  readonly name: string
  readonly value: Json
  readonly sensitive: boolean
}

/** The parts of a configuration that a plan needs. */
export interface Configuration {
  readonly resources: readonly ConfiguredResource[]
  readonly outputs: readonly ConfiguredOutput[]
  /** Values of input variables by name. */
  readonly variables: Readonly<Record<string, Json>>
  /** Error if a file cannot be parsed or a variable has no value; otherwise missing. */
  readonly error?: RunError
}

/**
 * Reads the files `*.tf` in the working directory of a run (behaviour/platform#run-files). Returns
 * undefined if there are no such files.
 */
export function configurationOf(
  world: World,
  run: Run,
  workingDirectory: string | null,
): Configuration | undefined {
  const archive = readArchive(world, run.configuration_version)
  const texts = archive === undefined ? [] : configurationTexts(archive, workingDirectory ?? '')
  return texts.length === 0 ? undefined : readConfiguration(texts, providedValues(world, run))
}

/** Returns the contents of the files `*.tf` in a directory, sorted by path. */
function configurationTexts({ files }: Archive, directory: string): string[] {
  const folder = directory.split('/').filter((part) => part !== '' && part !== '.')
  return [...files.keys()]
    .filter((path) => {
      const parts = path.split('/')
      return path.endsWith('.tf') && parts.slice(0, -1).join('/') === folder.join('/')
    })
    .sort()
    .map((path) => files.get(path)?.toString('utf8') ?? '')
}

/**
 * Returns the values of a run's input variables. Variables of the run override variables of the
 * workspace and of its variable sets.
 */
function providedValues(world: World, { workspace, variables }: Run): Map<string, HclValue> {
  const values = new Map<string, HclValue>()
  for (const { key, value, category, hcl } of effectiveVariablesIn(world, workspace)) {
    if (category === 'infra') values.set(key, hcl ? evaluateLiteral(value) : value)
  }
  for (const { key, value } of variables) values.set(key, evaluateLiteral(value))
  return values
}

/** Evaluates a literal expression. Returns the text unchanged if the text is not a literal. */
function evaluateLiteral(text: string): HclValue {
  try {
    return knownValue(parseHclExpression(text), scopeWithVariables(new Map())) ?? text
  } catch (error) {
    if (error instanceof HclError) return text
    throw error
  }
}

function scopeWithVariables(variables: ReadonlyMap<string, HclValue>): Scope {
  const environment = { budget: new Budget(), uuid: () => '' }
  return createScope(environment, new Map([['var', { kind: 'object', entries: variables }]]))
}

/** Evaluates an expression. Returns undefined if the value is unknown during the plan. */
function knownValue(expression: Expression, scope: Scope): HclValue | undefined {
  const { value, problems } = evaluateWithProblems(expression, scope)
  return problems.length > 0 ? undefined : value
}

/**
 * Parses files and evaluates their blocks. Returns a syntax error, or a variable without a value,
 * as `error`.
 */
function readConfiguration(
  texts: readonly string[],
  providedVariables: ReadonlyMap<string, HclValue>,
): Configuration {
  try {
    const blocks = texts.flatMap((text) =>
      blocksIn(parseHcl(text)).map((block) => ({ block, text })),
    )
    const { values, missing } = declaredValues(blocks, providedVariables)
    const scope = scopeWithVariables(values)
    return {
      resources: blocks.flatMap(({ block, text }) => configuredResources(block, text, scope)),
      outputs: blocks.flatMap(({ block }) => configuredOutputs(block, scope)),
      variables: Object.fromEntries(Array.from(values, ([name, value]) => [name, toJson(value)])),
      ...(missing === undefined ? {} : { error: missingVariableError(missing) }),
    }
  } catch (error) {
    if (!(error instanceof HclError)) throw error
    const [first] = error.diagnostics
    const problem = { summary: first?.summary ?? error.message, detail: first?.detail ?? '' }
    return { resources: [], outputs: [], variables: {}, error: problem }
  }
}

function blocksIn({ items }: Body): Block[] {
  return items.filter((item) => item.kind === 'block')
}

function attributesIn({ items }: Body): Attribute[] {
  return items.filter((item) => item.kind === 'attribute')
}

function attributeOf({ body }: Block, name: string): Expression | undefined {
  return attributesIn(body).find((one) => one.name === name)?.expression
}

/**
 * Returns the known values of the declared variables. Also returns the name of the first variable
 * with neither a value nor a default, or undefined if there is no such variable.
 */
function declaredValues(
  blocks: readonly { readonly block: Block; readonly text: string }[],
  providedVariables: ReadonlyMap<string, HclValue>,
) {
  const values = new Map<string, HclValue>()
  let missing: string | undefined
  for (const { block, text } of blocks) {
    const [label] = block.labels
    if (block.type !== 'variable' || label === undefined) continue
    const fallback = attributeOf(block, 'default')
    const value =
      providedVariables.get(label.value) ??
      (fallback === undefined ? undefined : knownValue(fallback, scopeWithVariables(new Map())))
    const type = sourceOf(attributeOf(block, 'type'), text)
    if (value !== undefined) values.set(label.value, toVariableType(value, type))
    else if (fallback === undefined) missing ??= label.value
  }
  return { values, missing }
}

/**
 * Converts a string to a number or a boolean if the variable has that type and the string
 * represents such a value. Returns all other values unchanged.
 */
function toVariableType(value: HclValue, type: string): HclValue {
  if (typeof value !== 'string') return value
  if (type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) {
    return Number(value)
  }
  return type === 'bool' && (value === 'true' || value === 'false') ? value === 'true' : value
}

/** Declaration of an input variable in a module. */
interface DeclaredVariable {
  readonly name: string
  readonly description: string | null
  readonly sensitive: boolean
  /** Whether `fallback` is an expression, because the type or the default is not a string. */
  readonly isExpression: boolean
  /** Default value: the string itself, or the source of an expression. Empty without a default. */
  readonly fallback: string
}

/**
 * Returns the input variables that the stored files of a module declare in the root directory;
 * empty if no files are stored.
 */
export function declaredVariables(world: World, contentId: string): DeclaredVariable[] {
  const archive = readArchive(world, contentId)
  return archive === undefined ? [] : configurationTexts(archive, '').flatMap(variablesInText)
}

/** Returns the input variables that a file declares; empty if the file cannot be parsed. */
function variablesInText(text: string): DeclaredVariable[] {
  const scope = scopeWithVariables(new Map())
  try {
    return blocksIn(parseHcl(text)).flatMap((block) => {
      const [label] = block.labels
      if (block.type !== 'variable' || label === undefined) return []
      const memberOf = (name: string) => {
        const expression = attributeOf(block, name)
        return expression === undefined ? undefined : knownValue(expression, scope)
      }
      const fallback = memberOf('default')
      const description = memberOf('description')
      const type = sourceOf(attributeOf(block, 'type'), text)
      const isText = typeof fallback === 'string'
      return [
        {
          name: label.value,
          description: typeof description === 'string' ? description : null,
          sensitive: memberOf('sensitive') === true,
          isExpression: !['', 'string'].includes(type) || !(fallback === undefined || isText),
          fallback: isText ? fallback : sourceOf(attributeOf(block, 'default'), text),
        },
      ]
    })
  } catch (error) {
    if (error instanceof HclError) return []
    throw error
  }
}

/** Returns the source text of an expression; empty if there is no expression. */
function sourceOf(expression: Expression | undefined, text: string): string {
  return expression === undefined
    ? ''
    : text.slice(expression.range.start.offset, expression.range.end.offset)
}

function missingVariableError(name: string): RunError {
  return {
    summary: 'No value for required variable',
    detail: `The root module input variable "${name}" is not set, and has no default value. Use a -var or -var-file command line argument to provide a value for this variable.`,
  }
}

function configuredResources(block: Block, text: string, scope: Scope): ConfiguredResource[] {
  const [type, name] = block.labels
  if (block.type !== 'resource' || type === undefined || name === undefined) return []
  const values: Record<string, Json> = {}
  for (const { name: argument, expression } of attributesIn(block.body)) {
    if (metaArguments.includes(argument)) continue
    const value = knownValue(expression, scope)
    if (value !== undefined) values[argument] = toJson(value)
  }
  const source = text.slice(block.range.start.offset, block.body.range.end.offset)
  const address = `${type.value}.${name.value}`
  return [{ address, type: type.value, name: name.value, text: source, values }]
}

/** Arguments that every resource can have and that are not attributes. */
const metaArguments: readonly string[] = ['count', 'for_each', 'provider', 'depends_on']

function configuredOutputs(block: Block, scope: Scope): ConfiguredOutput[] {
  const [label] = block.labels
  if (block.type !== 'output' || label === undefined) return []
  const expression = attributeOf(block, 'value')
  const sensitive = attributeOf(block, 'sensitive')
  const value = expression === undefined ? undefined : knownValue(expression, scope)
  return [
    {
      name: label.value,
      value: value === undefined ? `mock-${label.value}` : toJson(value),
      sensitive: sensitive !== undefined && knownValue(sensitive, scope) === true,
    },
  ]
}

/** Converts an HCL value to JSON. Large integers keep all digits. */
function toJson(value: HclValue): Json {
  if (isSequence(value)) return value.items.map(toJson)
  if (isMapping(value)) {
    return Object.fromEntries(Array.from(value.entries, ([key, each]) => [key, toJson(each)]))
  }
  return typeof value === 'bigint' ? new JsonNumber(String(value)) : value
}
