/** Choices that no test names yet; the list only ever shrinks. */
export const choicesToShow: readonly string[] = []
