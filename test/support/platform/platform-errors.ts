/** Bodies of failures in the forms of behaviour/platform#errors. */

/** Returns the body of a 422 with an error object for each invalid attribute. */
export function invalid(...errors: readonly (readonly [attribute: string, detail: string])[]) {
  return {
    errors: errors.map(([attribute, detail]) => ({
      status: '422',
      title: 'invalid attribute',
      detail,
      source: { pointer: `/data/attributes/${attribute}` },
    })),
  }
}

const titles: Readonly<Record<number, string>> = {
  400: 'bad request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  422: 'unprocessable entity',
  500: 'internal server error',
  504: 'gateway timeout',
}

/** Returns a body with one error object, which has the default title of its status. */
export function failure(status: number, detail?: string) {
  const object = { status: String(status), title: titles[status] }
  return { errors: [detail === undefined ? object : { ...object, detail }] }
}
