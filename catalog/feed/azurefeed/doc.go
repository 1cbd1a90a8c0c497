// Package azurefeed reads Azure's retail prices of virtual machines, page by page.
//
// What a row is stands in its texts: Windows in productName, spot and low priority in
// skuName and meterName. The price of a reservation is that of its whole term,
// whatever unitOfMeasure says; that of a savings plan is per hour. Where several
// prices of a thing are listed, the newest that is in force counts. The rows say
// nothing of hardware, so they are about instance types that the catalogue knows, or
// that have a GPU by their name and are held until it does.
//
// A link to the next page is followed only to the host that the first page came
// from, and not from a file. Pages shift while they are read (they are cut by number):
// if a row comes twice, or a page is missing, what is not there is not gone.
package azurefeed
