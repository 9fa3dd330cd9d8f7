// The filter of `npm run test:system`: see quick.cjs.
module.exports = require('./quick.cjs').suitesOf(true);
