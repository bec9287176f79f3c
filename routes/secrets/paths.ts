import type { Json } from '../../state/json/json.ts'
import { compileFields, type FieldSchemas, type FieldValues } from './fields.ts'
import type {
  Call,
  Operation,
  OperationDeclaration,
  PathParams,
  PathRow,
  Verb,
} from './operation.ts'

type Declarations<Params, R, L, W, P, D> = {
  readonly exists?: (call: Call<Params>) => boolean
  readonly bare?: boolean
  readonly rootOnly?: boolean
  readonly enterprise?: boolean
  readonly read?: OperationDeclaration<Params, R & FieldSchemas>
  readonly list?: OperationDeclaration<Params, L & FieldSchemas>
  readonly write?: OperationDeclaration<Params, W & FieldSchemas>
  readonly patch?: OperationDeclaration<Params, P & FieldSchemas>
  readonly delete?: OperationDeclaration<Params, D & FieldSchemas>
}

/**
 * Starts a table of paths that share a place in the specification. Each row declares its operations
 * once, with the types of parameters and fields taken from the declaration itself:
 * `path('roles/:name', { read: { summary, reply, run: ({ params }) => … } })`.
 */
export function pathsOf(spec: string) {
  return function path<
    const Pattern extends string,
    const R extends FieldSchemas = Record<never, never>,
    const L extends FieldSchemas = Record<never, never>,
    const W extends FieldSchemas = Record<never, never>,
    const P extends FieldSchemas = Record<never, never>,
    const D extends FieldSchemas = Record<never, never>,
  >(pattern: Pattern, declarations: Declarations<PathParams<Pattern>, R, L, W, P, D>): PathRow {
    const { exists, bare = false, rootOnly = false, enterprise = false, ...verbs } = declarations
    const operations: Partial<Record<Verb, Operation>> = {}
    for (const [verb, declaration] of Object.entries(verbs)) {
      operations[verb as Verb] = settle(declaration as OperationDeclaration<unknown, FieldSchemas>)
    }
    return {
      pattern,
      spec,
      exists: exists as PathRow['exists'],
      bare,
      rootOnly,
      enterprise,
      operations,
    }
  }
}

/** Fixes an operation's types once they are checked: the dispatcher pairs each call with its own. */
function settle(declaration: OperationDeclaration<unknown, FieldSchemas>): Operation {
  const { fields = {}, run } = declaration
  let convert: ((input: Readonly<Record<string, Json>>) => FieldValues<FieldSchemas>) | undefined
  return {
    ...declaration,
    // Compiled on first use: most operations of most runs are never called.
    convert: (input) => {
      convert ??= compileFields(fields)
      return convert(input)
    },
    run: (call) => run(call as Call<unknown, FieldValues<FieldSchemas>>),
  }
}

/** A path row that matched, with the values of its parameters. */
export interface PathMatch {
  readonly row: PathRow
  readonly params: Readonly<Record<string, string>>
}

interface CompiledRow {
  readonly row: PathRow
  readonly form: RegExp
  readonly names: readonly string[]
}

/** Names in paths (1-secrets-decisions.md section 1), as a regular expression without ends. */
export const namePattern = '\\w(?:[\\w.-]*\\w)?'

/**
 * Compiles an engine's rows to a look-up by path (from the mount, without a leading slash). The
 * first row that matches wins. A parameter that ends in a period matches nothing (1-secrets.md,
 * Conventions 7).
 */
export function compilePaths(rows: readonly PathRow[]): (path: string) => PathMatch | undefined {
  const byFirstSegment = new Map<string, CompiledRow[]>()
  for (const row of rows) {
    const first = firstSegment(row.pattern)
    const group = byFirstSegment.get(/^[:*]/.test(first) ? '' : first) ?? []
    byFirstSegment.set(/^[:*]/.test(first) ? '' : first, [...group, compileRow(row)])
  }
  const anyFirst = byFirstSegment.get('') ?? []
  return (path) => {
    for (const group of [byFirstSegment.get(firstSegment(path)) ?? [], anyFirst]) {
      for (const { row, form, names } of group) {
        const found = form.exec(path)
        if (found === null) continue
        const params: Record<string, string> = {}
        let dotted = false
        names.forEach((key, position) => {
          const value = found[position + 1] ?? ''
          dotted ||= endsInPeriod(value)
          params[key] = value
        })
        return dotted ? undefined : { row, params }
      }
    }
    return undefined
  }
}

/** Whether a parameter ends in a period; that of a list may have its closing slash. */
export function endsInPeriod(parameter: string): boolean {
  return parameter.endsWith('.') || parameter.endsWith('./')
}

function firstSegment(path: string): string {
  const slash = path.indexOf('/')
  return slash < 0 ? path : path.slice(0, slash)
}

function compileRow(row: PathRow): CompiledRow {
  const names: string[] = []
  const form = row.pattern
    .split('/')
    .map((segment) => {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1))
        return `(${namePattern})`
      }
      if (segment.startsWith('*')) {
        names.push(segment.slice(1))
        return '(.*)'
      }
      return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    })
    .join('/')
  return { row, form: new RegExp(`^${form}/?$`, 's'), names }
}
