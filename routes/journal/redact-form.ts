import type { Shape } from '../../state/kernel/shape/kinds.ts'
import type { Fingerprint } from './fingerprint.ts'
import { fieldNamed } from './redact.ts'

/**
 * Redacts the secret fields of a form. Undeclared fields are redacted as well, because a caller may
 * have put a secret into the wrong field.
 *
 * @param places names of the secret fields
 * @param shape declared fields; without a shape, every field is secret
 */
export function redactForm(
  form: string,
  places: readonly string[],
  shape: Shape | undefined,
  fingerprint: Fingerprint,
): string {
  const isSecret = (name: string) => {
    if (places.includes(name) || shape?.kind !== 'struct') return true
    const field = fieldNamed(shape, name)
    return field === undefined || field.secret === true
  }
  const fields = [...new URLSearchParams(form)].map(([name, value]) => {
    const shown = value === '' || !isSecret(name) ? encodeURIComponent(value) : fingerprint(value)
    return `${encodeURIComponent(name)}=${shown}`
  })
  return fields.join('&')
}
