import { expect, test } from 'vitest'
import type { OperationDeclaration } from '../../../../routes/http/declare/operation.ts'
import { paramsOf } from '../../../../routes/http/journal-hooks/path-params.ts'

const operation = (path: string): OperationDeclaration => ({
  id: 'one',
  path,
  summary: 'One.',
  spec: 'behaviour/program#explanations',
  reply: { 200: null },
})

test('the first parameter of a path takes slashes, the others do not', () => {
  const asked = { operation: operation('/job/:id/task/:name'), path: '/v1/job/a/b/task/c' }
  expect(paramsOf(asked, '/v1')).toEqual({ id: 'a/b', name: 'c' })
})

test('the rest of a path takes slashes', () => {
  const asked = { operation: operation('data/*path'), path: '/v1/secret/data/a/b/' }
  expect(paramsOf(asked, '/v1/secret/')).toEqual({ path: 'a/b/' })
})

test('a path of many segments that fits no parameters has an answer', () => {
  const path = `/api/v2/a${'/x/c/x/e/x/g'.repeat(400)}`
  const asked = { operation: operation('/a/:b/c/:d/e/:f/g/:h/i'), path }
  expect(paramsOf(asked, '/api/v2')).toEqual({})
})
