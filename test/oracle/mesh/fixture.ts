import {
  type ComparedRequest,
  type ReplyVariable,
  rootRequest,
} from '../../../src/cli/compare/request.ts'

/** Method, path and body of a request; the body is raw text, or JSON if it is an object. */
export type Call = readonly [method: string, path: string, body?: object | string]

/** Name of the policy, the role and the description of the token that every sequence uses. */
export const fixtureName = 'understudy-fixture'

/** Accessor and secret of the token that every sequence uses. */
export const fixtureAccessor = '5b0d0d5c-7a07-4c61-9f0c-2d7d6b0a1c11'
const fixtureSecret = '5b0d0d5c-7a07-4c61-9f0c-2d7d6b0a1c12'

/** ID that no object has. */
export const unknownId = '01234567-89ab-cdef-0123-456789abcdef'

export function requestOf(
  [method, path, body]: Call,
  token: string,
  operation: string,
): ComparedRequest {
  const text = typeof body === 'object' ? JSON.stringify(body) : body
  return { operation, method, path, token, ...(text === undefined ? {} : { body: text }) }
}

export function asRoot(operation: string, ...call: Call): ComparedRequest {
  return requestOf(call, 'root', operation)
}

/** Variables that the requests of `openFixture` set. */
export const fixtureVariables: readonly ReplyVariable[] = [
  {
    name: '$policy',
    operationPattern: /^findPolicy$/,
    memberPath: ['ID'],
    initialValue: unknownId,
  },
  { name: '$role', operationPattern: /^findRole$/, memberPath: ['ID'], initialValue: unknownId },
  {
    name: '$session',
    operationPattern: /^makeSession$/,
    memberPath: ['ID'],
    initialValue: unknownId,
  },
]

/** Requests that create the objects which all sequences read. */
export const setUpRequests: readonly ComparedRequest[] = [
  ...['a', 'a/b', 'b'].map((key) => asRoot('set up', 'PUT', `kv/${key}`, key)),
  asRoot('set up', 'PUT', 'acl/policy', {
    Name: fixtureName,
    Rules: 'key "a" { policy = "read" }',
  }),
  asRoot('set up', 'PUT', 'acl/role', { Name: fixtureName, Policies: [{ Name: fixtureName }] }),
  asRoot('set up', 'PUT', 'acl/token', {
    AccessorID: fixtureAccessor,
    SecretID: fixtureSecret,
    Description: fixtureName,
    Roles: [{ Name: fixtureName }],
  }),
]

/** Requests that begin a sequence: they set the variables. */
export const openFixture: readonly ComparedRequest[] = [
  asRoot('findPolicy', 'GET', `acl/policy/name/${fixtureName}`),
  asRoot('findRole', 'GET', `acl/role/name/${fixtureName}`),
  asRoot('makeSession', 'PUT', 'session/create', { Name: 'fixture', LockDelay: '1ns' }),
]

/** Requests that end a sequence: they destroy its session. */
export const closeFixture: readonly ComparedRequest[] = [
  rootRequest('PUT', 'session/destroy/$session'),
]
