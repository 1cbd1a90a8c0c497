package main
import ("testing";"fmt";"log/slog";"context";"os";"github.com/aws/aws-lambda-go/events";"bytes";"encoding/json")
func TestTry(t *testing.T){
 r,err:=newRouter(slog.New(slog.NewTextHandler(os.Stderr,nil))); if err!=nil {t.Fatal(err)}
 var e events.APIGatewayV2HTTPRequest
 e.RawPath="/v1/recommend"; e.RequestContext.HTTP.Method="GET"; e.RawQueryString="q="+os.Getenv("Q")
 out,_:=r.Serve(context.Background(), e)
 var b bytes.Buffer; json.Indent(&b,[]byte(out.Body),""," ")
 fmt.Println(out.StatusCode, out.Headers, b.String())
}
