import { expect, test } from 'vitest'
import type { OperationAddress } from '../../../routes/http/journal-hooks/api-explanations.ts'
import { addressesAt } from '../../../routes/journal/diagnosis.ts'

const addresses = ['/jobs', '/job/*id', '/job/*id/plan', '/job/:id/:what', '/*rest'].map(
  (path): OperationAddress => ({ operation: path, method: 'GET', path }),
)

const pathsAt = (path: string) => addressesAt(addresses, path).map(({ operation }) => operation)

test('a path leads to the addresses with the most equal segments', () => {
  expect(pathsAt('/jobs')).toEqual(['/jobs'])
  expect(pathsAt('/job/a/b/plan')).toEqual(['/job/*id/plan'])
  expect(pathsAt('/job/a/b')).toEqual(['/job/*id', '/job/:id/:what'])
  expect(pathsAt('/job/a/')).toEqual(['/job/*id'])
  expect(pathsAt('/job/')).toEqual(['/*rest'])
  expect(pathsAt('/job/plan')).toEqual(['/job/*id'])
  expect(pathsAt('/other')).toEqual(['/*rest'])
  expect(pathsAt('/')).toEqual([])
})

test('comparing a path of very many segments takes linear time', () => {
  expect(pathsAt(`/job${'/a'.repeat(400_000)}/b`)).toEqual(['/job/*id'])
  expect(pathsAt('/'.repeat(400_000))).toEqual(['/*rest'])
})
