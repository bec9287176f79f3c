import { textOf } from './format.ts'
import { apiNames, type Maker, makerOf } from './makers.ts'
import type { Recorder } from './recorder.ts'

/** Records the operations, documents and help pages, and returns the generators of requests. */
export async function recordDocuments(
  recorder: Recorder,
  dialect: 'neutral' | 'vendor',
): Promise<readonly Maker[]> {
  const coverage = await recorder.read('/coverage', 'coverage')
  const { services, control } = JSON.parse(textOf(coverage.body))
  const makers: Maker[] = []
  for (const name of [...apiNames, 'control'] as const) {
    const path = name === 'control' ? '/openapi.json' : `/openapi/${name}`
    const document = await recorder.read(path, 'document')
    const { operations } =
      name === 'control'
        ? control
        : services.find((service: { name: string }) => service.name === name)
    makers.push(makerOf(name, dialect, operations, JSON.parse(textOf(document.body))))
  }
  recorder.know(makers)
  const [secrets] = makers
  const paths = new Set(secrets?.operations.map(({ path }) => path.replaceAll(/:\w+/g, 'x')))
  const headers = { [dialect === 'vendor' ? 'x-vault-token' : 'x-secrets-token']: 'root' }
  for (const path of paths) {
    const url = `${path}?help=1`
    await recorder.ask({ listener: 'secrets', method: 'GET', url, headers })
  }
  return makers
}
