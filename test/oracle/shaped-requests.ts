import fc from 'fast-check'
import type { Declared, Method } from '../../routes/http/operation.ts'
import type { Shape, StructShape } from '../../state/kernel/shape/kinds.ts'
import type { OracleRequest } from './request.ts'
import { objectsOf, queriesOf, type ValuesByName } from './shaped-values.ts'

/** An operation whose declaration has shapes. */
export type ShapedOperation = Declared<string, Shape> & { readonly method: Method }

/** Says what requests are made of, beside the declarations. */
export interface RequestManner {
  /** Values of the names in paths, by `/path/:name`, else by `:name`. */
  readonly names: Readonly<Record<string, readonly string[]>>
  /** Values of the members of bodies. */
  readonly values: ValuesByName
  /** Values of parameters; those of `anywhere` are tried with every operation. */
  readonly parameters: ValuesByName
  readonly anywhere: ValuesByName
  /** Bodies of operations of their own, by id. */
  readonly bodies: Readonly<Record<string, fc.Arbitrary<string | undefined>>>
  /** How often an operation is asked, by id; once unless given. */
  readonly weights: Readonly<Record<string, number>>
  /** Tokens besides the root token. */
  readonly tokens: readonly string[]
}

/** Bodies that are none. */
const brokenBodies = [undefined, '', '[]', '{', '{} x', 'null', '3', '{"Zed":1}']

function pathsOf({ path }: ShapedOperation, { names }: RequestManner): fc.Arbitrary<string> {
  const segments = path
    .split('/')
    .map((segment) =>
      segment.startsWith(':')
        ? fc.constantFrom(...(names[path] ?? names[segment] ?? ['a', 'oracle-none']))
        : fc.constant(segment),
    )
  return fc.tuple(...segments).map((parts) => parts.map(encoded).join('/').slice(1))
}

/** Slashes stay, and what stands for something told until it is filled in. */
function encoded(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/').replaceAll('%24', '$')
}

function bodiesOf(
  { id, body, bodyOptional }: ShapedOperation,
  { bodies, values }: RequestManner,
): fc.Arbitrary<string | undefined> {
  const own = bodies[id]
  if (own === undefined && body === undefined) return fc.constant(undefined)
  const shaped = own ?? objectsOf(body as StructShape, values).map((value) => JSON.stringify(value))
  return fc.oneof(
    { weight: 25, arbitrary: shaped },
    { weight: bodyOptional === true ? 5 : 0, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...brokenBodies) },
  )
}

function requestsOf(
  operation: ShapedOperation,
  manner: RequestManner,
): fc.Arbitrary<OracleRequest> {
  return fc
    .record({
      method: fc.oneof(
        { weight: 40, arbitrary: fc.constant<string>(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE') },
      ),
      path: pathsOf(operation, manner),
      query: queriesOf(operation.query, { ...manner.parameters, ...manner.anywhere }),
      body: bodiesOf(operation, manner),
      token: fc.oneof(
        { weight: 12, arbitrary: fc.constant('root') },
        { weight: 2, arbitrary: fc.constantFrom(...manner.tokens) },
        { weight: 1, arbitrary: fc.constantFrom('none', 'nobody') },
      ),
    })
    .map(({ method, path, query, body, token }) => ({
      operation: operation.id,
      method,
      path: path + query,
      token,
      ...(body === undefined ? {} : { body }),
    }))
}

/** Sequences of requests, made from what operations declare. */
export function shapedSequences(
  operations: readonly ShapedOperation[],
  manner: RequestManner,
  longest: number,
): fc.Arbitrary<readonly OracleRequest[]> {
  const each = operations.map((operation) => ({
    weight: manner.weights[operation.id] ?? 1,
    arbitrary: requestsOf(operation, manner),
  }))
  return fc.array(fc.oneof(...each), { minLength: 1, maxLength: longest })
}
