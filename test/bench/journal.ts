import { createUnderstudy } from '../../src/embedding/index.ts'
import { type Row, showSpread, spreadOf } from './report.ts'

const journalLength = 1000
const calls = 10_000

/** Measures verify calls that look for one request in a full journal. */
export async function verifyRow(): Promise<Row> {
  await using server = await createUnderstudy({ seed: 'bench' })
  const { requests } = server.world()
  for (let n = 0; n < journalLength; n++) {
    await server.inject({
      method: 'POST',
      url: `/v1/secret/data/s${n}`,
      headers: { 'x-secrets-token': 'root' },
      payload: { data: { value: 'x'.repeat(100) } },
    })
  }
  const durations: number[] = []
  for (let call = 0; call < calls; call++) {
    const path = `/v1/secret/data/s${call % journalLength}`
    const begin = performance.now()
    requests.verify({ match: { method: 'POST', path, status: 200 }, count: { exactly: 1 } })
    durations.push(performance.now() - begin)
  }
  const ours = spreadOf(durations)
  return {
    what: `verify over a full journal of ${journalLength}, ${calls} calls`,
    ours: showSpread(ours, 3, ' ms'),
    against: '-',
    ratio: '-',
    bound: 'under 1 ms',
    holds: ours.median < 1,
  }
}
