import { httpTarget } from '../../src/cli/compare/compare.ts'
import type { ComparedApi } from '../../src/cli/compare/compared-api.ts'
import type { Target } from '../../src/cli/compare/request.ts'
import { createUnderstudy } from '../../src/embedding/index.ts'

/** Asks a mock of an API that listens, in the vendor's dialect, and ends it after `work`. */
export async function withMock<T>(
  api: ComparedApi,
  work: (target: Target) => Promise<T>,
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
    return await work(
      httpTarget(name, understudy.apiUrl(api.name) ?? '', api.token, api.tokenHeader),
    )
  } finally {
    await understudy.close()
  }
}
