import type { Samples } from '../support/generated/samples/sample.ts'

export const controlSamples: Samples = {
  tokenHeader: 'authorization',
  tokens: [''],
  contentType: 'application/json',
  values: { id: /^[\w-]{1,40}$/, world: ['w', 'x', 'none', 'default'], service: ['secrets', 'x'] },
  bodies: {
    'POST /_mock/worlds': [{ id: 'w' }, { id: 'x', clock: 'frozen' }],
    'POST /_mock/snapshots': [{ name: 'a' }, undefined],
    'POST /_mock/clock/advance': [{ by: '1h' }, { by: 1000, limit: 5 }],
    'PUT /_mock/clock': [{ mode: 'frozen' }, { mode: 'frozen', at: '2030-01-01T00:00:00Z' }],
    'POST /_mock/faults': [{ action: { status: 503 } }],
    'POST /_mock/reset': [undefined, { what: ['state'] }],
  },
}
