import type { DialectName } from '../../../routes/http/declare/dialect.ts'
import type { Method, OperationDeclaration } from '../../../routes/http/declare/operation.ts'
import type { Shape, StructShape } from '../../../state/kernel/shape/kinds.ts'
import { constant, listOf, oneOf, type ValueGenerator, weighted } from './generators.ts'
import { type ComparedRequest, tokenGenerator } from './request.ts'
import { queryGenerator, ShapedValues, type ValuesByName } from './shaped-values.ts'

/** Operation with a declared shape. */
export type ShapedOperation = OperationDeclaration<string, Shape> & { readonly method: Method }

/** Values for generated requests, in addition to the declarations. */
export interface GeneratorSettings {
  readonly dialect: DialectName
  /** Values of path parameters, by `/path/:name` or by `:name`. */
  readonly names: Readonly<Record<string, readonly string[]>>
  /** Values of members of bodies. */
  readonly values: ValuesByName
  /** Values of query parameters; those of `anywhere` are tried with every operation. */
  readonly parameters: ValuesByName
  readonly commonParameters: ValuesByName
  /** Generators of bodies for certain operations, by id. */
  readonly bodies: Readonly<Record<string, ValueGenerator<string | undefined>>>
  /** Weights of operations by id. Default: 1. */
  readonly weights: Readonly<Record<string, number>>
  /** Tokens to use in addition to the root token. */
  readonly tokens: readonly string[]
}

/** Invalid bodies. */
const invalidBodies = [undefined, '', '[]', '{', '{} x', 'null', '3', '{"Zed":1}']

function pathGenerator(
  { path }: ShapedOperation,
  { names }: GeneratorSettings,
): ValueGenerator<string> {
  const segments = path
    .split('/')
    .map((segment) =>
      segment.startsWith(':')
        ? oneOf(...(names[path] ?? names[segment] ?? ['a', 'understudy-none']))
        : constant(segment),
    )
  return (random) =>
    segments
      .map((segment) => encodePath(segment(random)))
      .join('/')
      .slice(1)
}

/** Encodes a path, except for slashes and variables. */
function encodePath(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/').replaceAll('%24', '$')
}

function bodyGenerator(
  { id, body, bodyOptional }: ShapedOperation,
  { bodies, values, dialect }: GeneratorSettings,
): ValueGenerator<string | undefined> {
  const override = bodies[id]
  if (override === undefined && body === undefined) return constant(undefined)
  return weighted<string | undefined>(
    [25, override ?? shapedBodies(body as StructShape, new ShapedValues(values, dialect))],
    [bodyOptional === true ? 5 : 0, constant(undefined)],
    [1, oneOf(...invalidBodies)],
  )
}

function shapedBodies(body: StructShape, values: ShapedValues): ValueGenerator<string> {
  const objects = values.objectsOf(body)
  return (random) => JSON.stringify(objects(random))
}

function requestGenerator(
  operation: ShapedOperation,
  settings: GeneratorSettings,
): ValueGenerator<ComparedRequest> {
  const methods = weighted(
    [40, constant<string>(operation.method)],
    [1, oneOf<string>('GET', 'POST', 'PUT', 'DELETE')],
  )
  const paths = pathGenerator(operation, settings)
  const queries = queryGenerator(operation.query, {
    ...settings.parameters,
    ...settings.commonParameters,
  })
  const bodies = bodyGenerator(operation, settings)
  const tokens = tokenGenerator(settings.tokens)
  return (random) => {
    const method = methods(random)
    const path = paths(random) + queries(random)
    const body = bodies(random)
    return {
      operation: operation.id,
      method,
      path,
      token: tokens(random),
      ...(body === undefined ? {} : { body }),
    }
  }
}

/** Returns a generator of request sequences, based on the declarations of operations. */
export function shapedSequences(
  operations: readonly ShapedOperation[],
  settings: GeneratorSettings,
  maxRequests: number,
): ValueGenerator<readonly ComparedRequest[]> {
  const each = operations.map(
    (operation) =>
      [settings.weights[operation.id] ?? 1, requestGenerator(operation, settings)] as const,
  )
  return listOf(weighted(...each), 1, maxRequests)
}
