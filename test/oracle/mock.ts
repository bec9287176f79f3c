import { httpTarget } from '../../src/cli/compare/compare.ts'
import type { ComparedApi } from '../../src/cli/compare/compared-api.ts'
import type { Target } from '../../src/cli/compare/request.ts'
import { createUnderstudy, type World } from '../../src/embedding/index.ts'

/**
 * Runs work against a listening mock of an API, in the vendor dialect, and closes the mock
 * afterwards.
 */
export async function withMock<T>(
  api: ComparedApi,
  work: (target: Target, world: World) => Promise<T>,
  name = 'mock',
): Promise<T> {
  const understudy = await createUnderstudy({
    dialect: 'vendor',
    seed: 'oracle',
    apiPorts: { [api.name]: 0 },
    ...api.setUp,
  })
  try {
    await understudy.listen()
    const target = httpTarget(name, understudy.apiUrl(api.name) ?? '', api.token, api)
    return await work(target, understudy.world())
  } finally {
    await understudy.close()
  }
}
