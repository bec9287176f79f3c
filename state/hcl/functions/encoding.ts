import { isUtf8 } from 'node:buffer'
import { FunctionFault } from '../language/function.ts'
import { type FunctionTable, ofText } from './arguments.ts'
import { decodeCsv } from './csv.ts'

/** Functions that write texts in other forms (3b-scheduler-decisions.md section 9, Functions). */
export const encodingFunctions: FunctionTable = {
  base64decode: ofText('str', (text, { spend }) => {
    spend(text.length)
    return decodeBase64(text)
  }),
  base64encode: ofText('str', (text, { spend }) => {
    spend(2 * text.length)
    return Buffer.from(text).toString('base64')
  }),
  csvdecode: ofText('str', (text, { spend }) => {
    spend(2 * text.length)
    return decodeCsv(text, spend)
  }),
  urlencode: ofText('str', (text, { spend }) => {
    spend(3 * text.length)
    return escapeQuery(text)
  }),
}

function decodeBase64(text: string): string {
  const digits = text.replace(/[\r\n]/g, '')
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) {
    throw new FunctionFault(`failed to decode base64 data '${text}'`)
  }
  const bytes = Buffer.from(digits, 'base64')
  if (isUtf8(bytes)) return bytes.toString()
  throw new FunctionFault('the result of decoding the the provided string is not valid UTF-8')
}

/** As Go's url.QueryEscape: blanks as plus signs, all else but letters, digits and `-_.~` by bytes. */
function escapeQuery(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
    .replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}
