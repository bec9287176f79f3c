import { expect, test } from 'vitest'
import { rootRequest, sendAll, type Target } from '../../../src/cli/compare/request.ts'

/** Returns a server that fails at the second request. */
function failingTarget(code: string): Target {
  let asked = 0
  return {
    name: 'server',
    token: '',
    send: async () => {
      asked += 1
      if (asked === 2) throw Object.assign(new Error('socket hang up'), { code })
      return { status: 200, body: asked }
    },
  }
}

const requests = [1, 2, 3].map((at) => rootRequest('GET', `jobs?index=${at}`))

test('behaviour/program#commands: a connection that the server closes is an answer', async () => {
  const answers = await sendAll(failingTarget('ECONNRESET'), requests, { variables: [] })
  expect(answers.map(({ status }) => status)).toEqual([200, 0, 200])
  const gone = sendAll(failingTarget('ECONNREFUSED'), requests, { variables: [] })
  await expect(gone).rejects.toThrow('socket hang up')
})
