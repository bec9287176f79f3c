import { any, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { reportShape } from '../../report/report-shapes.ts'
import { operation } from '../context.ts'

const mediaTypes = {
  markdown: 'text/markdown',
  junit: 'application/xml',
} as const

export const reportOperations = [
  operation({
    id: 'getReport',
    method: 'GET',
    path: '/report',
    summary:
      'Report used operations, refused requests with reasons, reactions to faults, and leftovers.',
    spec: 'behaviour/program#reports',
    query: withOthers(
      struct({
        format: optional(described(word('json', 'markdown', 'junit'), '`json` if left out')),
      }),
      any,
    ),
    reply: { 200: reportShape },
    alternativeMediaTypes: Object.values(mediaTypes),
    run: ({ context: { world }, query: { format = 'json' } }) => {
      if (format === 'json') return ok(world.report())
      const headers = { 'content-type': `${mediaTypes[format]}; charset=utf-8` }
      return answer(200, world.report(format), { headers })
    },
  }),
]
