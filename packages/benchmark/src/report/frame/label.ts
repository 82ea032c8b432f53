/** How axes write their numbers, as a Vega expression: thousands as k, but no thousandths as m. */
export const LABEL = "format(datum.value, abs(datum.value) < 1000 ? '~r' : '~s')";
