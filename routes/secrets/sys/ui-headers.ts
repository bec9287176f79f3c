import { constant, list, text } from '../../../state/kernel/shape/kinds.ts'
import { optional } from '../../../state/kernel/shape/members.ts'
import {
  deleteUiHeader,
  setUiHeader,
  uiHeaderNames,
  uiHeaderValues,
} from '../../../state/secrets/ui-headers.ts'
import { dataOutcome, keysOutcome } from '../envelope/outcome.ts'
import { enveloped, envelopeOf } from '../envelope/schemas.ts'
import { flag, requiredField, unsplitTexts } from '../fields/field-kinds.ts'
import { message, refuse } from '../messages.ts'
import { operationsOf, type SecretsOperation } from '../operation.ts'

const operation = operationsOf({
  spec: 'behaviour/secrets#web-interface',
  rootOnly: true,
  access: 'sudo',
})

/** Operations on the additional response headers of the page at `/ui/`. */
export const uiHeaderOperations: readonly SecretsOperation[] = [
  operation.list('listUiHeaders', 'config/ui/headers', {
    summary: 'List the configured headers of the web interface.',
    reply: enveloped({ keys: list(text) }),
    run: ({ world }) => keysOutcome(uiHeaderNames(world)),
  }),
  operation.read('readUiHeader', 'config/ui/headers/:header', {
    summary: 'Read the first value of a header of the web interface, or all values.',
    query: { multivalue: flag('Whether to return all values') },
    reply: enveloped({ value: optional(text), values: optional(list(text)) }),
    run({ world, params: { header }, fields: { multivalue } }) {
      const values = uiHeaderValues(world, header)
      if (values === undefined) throw refuse('nothing-here')
      return dataOutcome(multivalue ? { values } : { value: values[0] ?? '' })
    },
  }),
  operation.write('writeUiHeader', 'config/ui/headers/:header', {
    summary: 'Set the values of a header of the web interface, of which the first is sent.',
    body: { values: requiredField(unsplitTexts('Values of the header')) },
    reply: { 200: envelopeOf(constant(null)) },
    run({ world, params: { header }, fields: { values = [] } }) {
      const replacesPolicy = setUiHeader(world, header, values)
      const warnings = replacesPolicy ? [message('content-policy-replaced')] : []
      return { kind: 'envelope', warnings }
    },
  }),
  operation.delete('deleteUiHeader', 'config/ui/headers/:header', {
    summary: 'Remove a header of the web interface.',
    apply: ({ world, params: { header } }) => deleteUiHeader(world, header),
  }),
]
