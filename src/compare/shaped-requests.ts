import type { DialectName } from '../../routes/http/dialect.ts'
import type { Method, OperationDeclaration } from '../../routes/http/operation.ts'
import type { Shape, StructShape } from '../../state/kernel/shape/kinds.ts'
import { always, type Draw, listOf, oneOf, weighted } from './draw.ts'
import { type ComparedRequest, tokensOf } from './request.ts'
import { queriesOf, ShapedValues, type ValuesByName } from './shaped-values.ts'

/** An operation whose declaration has shapes. */
export type ShapedOperation = OperationDeclaration<string, Shape> & { readonly method: Method }

/** Says what requests are made of, beside the declarations. */
export interface RequestManner {
  readonly dialect: DialectName
  /** Values of the names in paths, by `/path/:name`, else by `:name`. */
  readonly names: Readonly<Record<string, readonly string[]>>
  /** Values of the members of bodies. */
  readonly values: ValuesByName
  /** Values of parameters; those of `anywhere` are tried with every operation. */
  readonly parameters: ValuesByName
  readonly anywhere: ValuesByName
  /** Bodies of operations of their own, by id. */
  readonly bodies: Readonly<Record<string, Draw<string | undefined>>>
  /** How often an operation is asked, by id; once unless given. */
  readonly weights: Readonly<Record<string, number>>
  /** Tokens besides the root token. */
  readonly tokens: readonly string[]
}

/** Bodies that are none. */
const brokenBodies = [undefined, '', '[]', '{', '{} x', 'null', '3', '{"Zed":1}']

function pathsOf({ path }: ShapedOperation, { names }: RequestManner): Draw<string> {
  const segments = path
    .split('/')
    .map((segment) =>
      segment.startsWith(':')
        ? oneOf(...(names[path] ?? names[segment] ?? ['a', 'understudy-none']))
        : always(segment),
    )
  return (chance) =>
    segments
      .map((segment) => encoded(segment(chance)))
      .join('/')
      .slice(1)
}

/** Slashes stay, and what stands for something told until it is filled in. */
function encoded(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/').replaceAll('%24', '$')
}

function bodiesOf(
  { id, body, bodyOptional }: ShapedOperation,
  { bodies, values, dialect }: RequestManner,
): Draw<string | undefined> {
  const own = bodies[id]
  if (own === undefined && body === undefined) return always(undefined)
  return weighted<string | undefined>(
    [25, own ?? shapedBodies(body as StructShape, new ShapedValues(values, dialect))],
    [bodyOptional === true ? 5 : 0, always(undefined)],
    [1, oneOf(...brokenBodies)],
  )
}

function shapedBodies(body: StructShape, values: ShapedValues): Draw<string> {
  const objects = values.objectsOf(body)
  return (chance) => JSON.stringify(objects(chance))
}

function requestsOf(operation: ShapedOperation, manner: RequestManner): Draw<ComparedRequest> {
  const methods = weighted(
    [40, always<string>(operation.method)],
    [1, oneOf<string>('GET', 'POST', 'PUT', 'DELETE')],
  )
  const paths = pathsOf(operation, manner)
  const queries = queriesOf(operation.query, { ...manner.parameters, ...manner.anywhere })
  const bodies = bodiesOf(operation, manner)
  const tokens = tokensOf(manner.tokens)
  return (chance) => {
    const method = methods(chance)
    const path = paths(chance) + queries(chance)
    const body = bodies(chance)
    return {
      operation: operation.id,
      method,
      path,
      token: tokens(chance),
      ...(body === undefined ? {} : { body }),
    }
  }
}

/** Sequences of requests, made from what operations declare. */
export function shapedSequences(
  operations: readonly ShapedOperation[],
  manner: RequestManner,
  longest: number,
): Draw<readonly ComparedRequest[]> {
  const each = operations.map(
    (operation) => [manner.weights[operation.id] ?? 1, requestsOf(operation, manner)] as const,
  )
  return listOf(weighted(...each), 1, longest)
}
